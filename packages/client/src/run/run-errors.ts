import type { RunProgress, RunWaiting } from '@farebox/platform-api/flows/runs'
import { foreignText } from '../exchange/foreign-text.ts'
import type { RunHandle } from './run-record.ts'

/** Why a flow was not signed for. */
export type RunRefusal =
  /** The total cost exceeds `maxTotal`. */
  | 'max-total'
  /** An agent asks for more than the price pinned in the flow. */
  | 'price'
  /** An agent offers no price now. */
  | 'no-price'
  /** The platform's quote does not match the flow, or is not USDC on an allowed network. */
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
  /** The faulty step; undefined for the flow as a whole. */
  readonly step: string | undefined

  constructor(refusal: RunRefusal, step: string | undefined, reason: string) {
    super(`nothing was signed: ${step === undefined ? '' : `${step}: `}${reason}`)
    this.refusal = refusal
    this.step = step
  }
}

/**
 * A run was started and has not reached its end: the platform keeps it, and `resumeRun(error.handle)` resumes it. All errors
 * below are subclasses.
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

  /** The handle that opens the run. Hidden from console output of this error. */
  get handle(): RunHandle {
    return this.#handle
  }

  /** Its last known state; undefined when the platform never sent one. */
  get run(): RunProgress | undefined {
    return this.#run
  }
}

/** A step failed, and nothing else is in progress. The results of earlier steps are kept. */
export class StepFailed extends RunHalted {
  override readonly name = 'StepFailed'
  readonly step: string
  /** Key of the job: the step, or for one item of a list `summary#2`. */
  readonly key: string
  /** maybe: its payment was sent, and can be used until `chargeableUntil`. */
  readonly charged: 'no' | 'maybe' | 'yes'
  /** Unix seconds. */
  readonly chargeableUntil: number | undefined
  /** The error type that the agent or the platform sent; undefined for a free step. */
  readonly errorType: string | undefined
  /** The message of the agent or the platform. */
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

/** The known data of a failed step. */
export type StepFailure = Pick<StepFailed, 'key' | 'charged' | 'chargeableUntil' | 'errorType' | 'reason'>

const CHARGED = { no: 'not charged', maybe: 'may still be charged', yes: 'and was charged' }

/** A step waits for a person's answer, and nothing else is in progress. `answerRun` answers it. */
export class PersonNeeded extends RunHalted {
  override readonly name = 'PersonNeeded'
  readonly step: string
  readonly question: string
  /** The value that the person is asked about. */
  readonly value: unknown

  constructor(handle: RunHandle, run: RunProgress, asked: PersonQuestion) {
    super(handle, run, `${asked.step} waits for a person: ${foreignText(asked.question)}`)
    this.step = asked.step
    this.question = asked.question
    this.value = asked.value
  }
}

/** The question of a step to a person. */
export interface PersonQuestion {
  readonly step: string
  readonly question: string
  readonly value: unknown
}

/** A job waits for a payment that was not signed, and nothing else is in progress. */
export class PaymentNeeded extends RunHalted {
  override readonly name = 'PaymentNeeded'
  readonly key: string
  /** Why the run asks for a payment. */
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

/** The run was paused or cancelled. */
export class RunStopped extends RunHalted {
  override readonly name = 'RunStopped'
  readonly status: 'paused' | 'cancelled'

  constructor(handle: RunHandle, run: RunProgress, status: 'paused' | 'cancelled') {
    super(handle, run, `it was ${status}`)
    this.status = status
  }
}

/** The platform does not respond, or the caller's signal aborted. The run continues on the platform. */
export class RunUnresolved extends RunHalted {
  override readonly name = 'RunUnresolved'
}
