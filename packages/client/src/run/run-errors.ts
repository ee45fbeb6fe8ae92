import type { RunProgress, RunWaiting } from '@farebox/platform-api/flows/runs'
import { foreignText } from '../exchange/foreign-text.ts'
import type { RunHandle } from './run-record.ts'

/** What kept a flow from being signed for. */
export type RunRefusal =
  /** All of it costs more than `maxTotal`. */
  | 'max-total'
  /** An agent asks for more than the flow has pinned. */
  | 'price'
  /** An agent names no price now. */
  | 'no-price'
  /** What the platform quotes is not what the flow orders, or not USDC on a chain that may be paid on. */
  | 'offer'

/**
 * The flow was not paid for. Nothing was signed and nothing was started.
 *
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { runFlow } from '@farebox/client/run-flow'
 * import { PersonNeeded, RunRefused, StepFailed } from '@farebox/client/run/run-errors'
 * import type { RunFlowOptions } from '@farebox/client/run/run-options'
 *
 * export async function run(flow: Flow, options: RunFlowOptions): Promise<void> {
 *   try {
 *     console.log((await runFlow('https://platform.example', flow, { article: 'Long.' }, options)).output)
 *   } catch (error) {
 *     if (error instanceof RunRefused) console.log(`not started: ${error.message}`)
 *     else if (error instanceof StepFailed) console.log(`${error.step} failed, charged: ${error.charged}`)
 *     else if (error instanceof PersonNeeded) console.log(`${error.step} asks: ${error.question}`)
 *     else throw error
 *   }
 * }
 * ```
 */
export class RunRefused extends Error {
  override readonly name = 'RunRefused'
  readonly refusal: RunRefusal
  /** The step at fault; undefined: all of them together. */
  readonly step: string | undefined

  constructor(refusal: RunRefusal, step: string | undefined, reason: string) {
    super(`nothing was signed: ${step === undefined ? '' : `${step}: `}${reason}`)
    this.refusal = refusal
    this.step = step
  }
}

/**
 * A run was started and has not come to its end: it is kept by the platform, and `resumeRun(error.handle)` goes on with
 * it. All errors below are of this class.
 */
export class RunHalted extends Error {
  override readonly name: string = 'RunHalted'
  readonly runId: string
  readonly #handle: RunHandle
  readonly #run: RunProgress | undefined

  constructor(handle: RunHandle, run: RunProgress | undefined, message: string, options?: ErrorOptions) {
    super(`run ${handle.runId}: ${message}`, options)
    this.runId = handle.runId
    this.#handle = handle
    this.#run = run
  }

  /** What opens the run. Kept out of what a console prints of this error. */
  get handle(): RunHandle {
    return this.#handle
  }

  /** How it stood last; undefined where the platform never said. */
  get run(): RunProgress | undefined {
    return this.#run
  }
}

/** A step could not be done, and nothing else is under way. What was done before it is kept. */
export class StepFailed extends RunHalted {
  override readonly name = 'StepFailed'
  readonly step: string
  /** Of the job: the step, or for one item of a list `summary#2`. */
  readonly key: string
  /** maybe: its payment was sent, and can be used until `chargeableUntil`. */
  readonly charged: 'no' | 'maybe' | 'yes'
  /** Unix seconds. */
  readonly chargeableUntil: number | undefined
  /** As the agent or the platform calls it; undefined for a free step. */
  readonly errorType: string | undefined
  /** In their words. */
  readonly reason: string

  constructor(handle: RunHandle, run: RunProgress, failure: StepFailure) {
    const { key, charged, errorType, reason, chargeableUntil } = failure
    super(handle, run, `${key} failed, ${CHARGED[charged]}: ${foreignText(reason)}`)
    this.step = key.replace(/#\d+$/, '')
    this.key = key
    this.charged = charged
    this.chargeableUntil = chargeableUntil
    this.errorType = errorType
    this.reason = foreignText(reason)
  }
}

/** What is known of a failed step. */
export type StepFailure = Pick<StepFailed, 'key' | 'charged' | 'chargeableUntil' | 'errorType' | 'reason'>

const CHARGED = { no: 'not charged', maybe: 'may still be charged', yes: 'and was charged' }

/** A step waits for a person's answer, and nothing else is under way. `answerRun` gives it. */
export class PersonNeeded extends RunHalted {
  override readonly name = 'PersonNeeded'
  readonly step: string
  readonly question: string
  /** What they are asked about. */
  readonly value: unknown

  constructor(handle: RunHandle, run: RunProgress, asked: PersonQuestion) {
    super(handle, run, `${asked.step} waits for a person: ${foreignText(asked.question)}`)
    this.step = asked.step
    this.question = asked.question
    this.value = asked.value
  }
}

/** What a step asks a person. */
export interface PersonQuestion {
  readonly step: string
  readonly question: string
  readonly value: unknown
}

/** A job waits for a payment that was not signed, and nothing else is under way. */
export class PaymentNeeded extends RunHalted {
  override readonly name = 'PaymentNeeded'
  readonly key: string
  /** Why the run asks for one. */
  readonly because: Extract<RunWaiting, { for: 'payment' }>['because']['kind']

  constructor(
    handle: RunHandle,
    run: RunProgress,
    needed: NeededPayment & { readonly reason: string },
    options?: ErrorOptions,
  ) {
    const { key, reason } = needed
    super(handle, run, `${key} waits for a payment, which was not signed: ${foreignText(reason)}`, options)
    this.key = needed.key
    this.because = needed.because.kind
  }
}

/** A payment that a run asks for. */
export type NeededPayment = Extract<RunWaiting, { for: 'payment' }>

/** Somebody has paused or cancelled the run. */
export class RunStopped extends RunHalted {
  override readonly name = 'RunStopped'
  readonly status: 'paused' | 'cancelled'

  constructor(handle: RunHandle, run: RunProgress, status: 'paused' | 'cancelled') {
    super(handle, run, `it was ${status}`)
    this.status = status
  }
}

/** The platform gives no answer, or the caller's signal aborted. The run goes on without us. */
export class RunUnresolved extends RunHalted {
  override readonly name = 'RunUnresolved'
}
