import { printable } from '@farebox/conformance/internal/printable'
import { PlatformRefused, PlatformUnreachable } from '@farebox/client/exchange/platform-errors'
import {
  PaymentNeeded,
  PersonNeeded,
  RunHalted,
  RunRefused,
  RunStopped,
  RunUnresolved,
  StepFailed,
} from '@farebox/client/run/run-errors'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { systemClock } from '@farebox/protocol/time/clock'
import { CommandError, EXIT, type ExitCode } from '../../command-error.ts'
import { untilTime } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { answerWithJson, failureDocument, failureType, orStopped } from '../../terminal/run-with-json.ts'

/** Thrown when a run was not started or has not ended, with the document for `--json`. */
class RunFailure extends CommandError {
  /** `run` is the last known state; `undefined` when the platform never returned one. */
  readonly about: { readonly type: string; readonly runId: string; readonly run: RunProgress | undefined }

  constructor(
    message: string,
    next: string,
    about: RunFailure['about'],
    options: ErrorOptions & { readonly exitCode: ExitCode },
  ) {
    super(message, next, options)
    this.about = about
  }
}

/**
 * Builds the message for a run that was not started or is waiting: the reason, the amount paid, and what to do.
 *
 * @param runId `undefined` when nothing was sent
 * @param last the last known state of the run, if any
 */
export function explainRun(
  { signal }: World,
  error: unknown,
  runId: string | undefined,
  last?: RunProgress,
): unknown {
  if (runId === undefined) return explainUnsent(error)
  const id = runId.slice(0, 8)
  const run = (error instanceof RunHalted ? error.run : undefined) ?? last
  const failure = (message: string, type: string, exitCode: ExitCode, next: readonly string[]): RunFailure =>
    new RunFailure(
      message,
      [...sumsOf(run, systemClock.nowMs() / 1_000), ...next].join('\n'),
      { type, runId, run },
      { exitCode, cause: error },
    )
  const again = `farebox flow resume ${id}`

  if (signal.aborted && (error instanceof RunUnresolved || !(error instanceof CommandError)))
    return failure('stopped: the run goes on without us', 'stopped', EXIT.interrupted, [
      `${again} follows it, farebox flow pause ${id} holds it, farebox flow cancel ${id} ends it`,
    ])
  if (error instanceof StepFailed) return failure(...stepFailed(error, again))
  if (error instanceof PersonNeeded)
    return failure(
      `${error.step} waits for a person: ${printable(error.question)}`,
      'person',
      EXIT.unresolved,
      [`farebox flow answer ${id} ${error.step} --approve, or --decline`],
    )
  if (error instanceof PaymentNeeded)
    return failure(printable(withoutRun(error)), 'payment', EXIT.unresolved, [
      `${again} signs it; --max-total <usdc> allows for more`,
    ])
  if (error instanceof RunStopped) {
    const isPaused = error.status === 'paused'
    const exitCode = isPaused ? EXIT.unresolved : EXIT.refused
    const next = isPaused ? [`${again} goes on with it`] : []
    return failure(`the run was ${error.status}`, error.status, exitCode, next)
  }
  if (error instanceof PlatformRefused) return failure(printable(error.message), 'refused', EXIT.refused, [])
  if (error instanceof RunUnresolved || error instanceof PlatformUnreachable)
    return failure(printable(withoutRun(error)), 'unresolved', EXIT.unresolved, [
      `${again} asks again, and pays nothing twice`,
    ])
  if (error instanceof CommandError)
    return failure(error.message, 'refused', error.exitCode, error.next === '' ? [again] : [error.next])
  return error
}

function stepFailed(error: StepFailed, again: string): [string, string, ExitCode, readonly string[]] {
  const { key, charged, reason } = error
  const said = { no: 'was not charged', maybe: 'may still be charged', yes: 'was charged, and gave nothing' }[
    charged
  ]
  const next = {
    no: `${again} asks for it again`,
    maybe: `${again} asks for it again, with the same payment`,
    yes: `${again} --pay-again pays for it once more`,
  }[charged]
  const exitCode = charged === 'maybe' ? EXIT.unresolved : EXIT.refused
  return [`${printable(key)} failed and ${said}: ${printable(reason)}`, 'step-failed', exitCode, [next]]
}

/** Explains an error that occurred before anything was sent. */
function explainUnsent(error: unknown): unknown {
  if (error instanceof RunRefused)
    return new CommandError(
      printable(error.message.replace(/^nothing was signed: /, '')),
      UNSENT[error.refusal],
      { cause: error },
    )
  if (error instanceof PlatformRefused)
    return new CommandError(printable(error.message), 'nothing was signed', { cause: error })
  if (error instanceof PlatformUnreachable)
    return new CommandError(printable(error.message), 'nothing was signed; is the URL right? --platform', {
      cause: error,
    })
  return error
}

const UNSENT = {
  'max-total': 'nothing was signed; --max-total <usdc> allows for more',
  price: 'nothing was signed; pin the new price in the flow to agree to it',
  'no-price': 'nothing was signed; run the same command again in a minute',
  offer: 'nothing was signed',
} as const

export function sumsOf(run: RunProgress | undefined, nowSeconds: number): readonly string[] {
  if (run === undefined) return []
  const { paid, exposed, exposed_until: until } = run
  const open =
    until === null ? [] : [`, up to ${exposed} more may be charged until ${untilTime(until, nowSeconds)}`]
  return [`paid ${paid} USDC${open.join('')}`]
}

function withoutRun(error: Error): string {
  return error.message.replace(/^run [0-9a-f-]+: /i, '')
}

/** The `--json` document of a run that has ended. */
export function resultDocument(run: RunProgress): object {
  return { ok: true, ...sums(run), output: run.output, steps: run.steps }
}

/** Runs a command about a run. With `--json` the output is always exactly one document. */
export async function withRunDocument(
  world: World,
  raw: { readonly json?: true },
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const inWords = (error: unknown): unknown => orStopped(world, error, 'nothing was sent')
  return await answerWithJson(world, raw, work, { inWords, document: error => documentOf(world, error) })
}

/** The `--json` document of a run that was not started or is waiting. */
function documentOf(world: World, error: unknown): object {
  if (!(error instanceof RunFailure)) return failureDocument(world, error, failureType(error))
  const { runId, run, type } = error.about
  return {
    ...failureDocument(world, error, type),
    run_id: runId,
    ...(run !== undefined && { ...sums(run), waiting: run.waiting, steps: run.steps }),
  }
}

function sums({ run_id, status, paid, exposed, exposed_until }: RunProgress): object {
  return { run_id, status, paid, exposed, exposed_until }
}
