import { printable } from '@farebox/conformance/internal/printable'
import { isJobId } from '@farebox/protocol/job/job-request'
import { CommandError, EXIT, type ExitCode, usageError } from '../command-error.ts'
import type { World } from '../world.ts'
import { callAgent } from './call-agent.ts'
import { type RawCallOptions, readCallOptions } from './call-options.ts'
import { CallFailure } from './outcome/call-document.ts'
import { explainUnforeseen } from './outcome/explain-unpaid.ts'
import { listCalls } from './list-calls.ts'
import { resumeCall } from './resume-call.ts'
import { answerWithJson, failureDocument, failureType, orStopped } from '../terminal/run-with-json.ts'

/**
 * `farebox call` in its three forms: a new call, `--resume`, `--list`. With `--json` the output is always exactly one
 * document.
 *
 * @param args the arguments that are not options of this command: URL, capability, fields
 */
export async function runCall(world: World, args: readonly string[], raw: RawCallOptions): Promise<ExitCode> {
  const call = async (): Promise<ExitCode> => {
    const options = readCallOptions(raw)
    if (raw.list === true || raw.resume !== undefined) refuseArguments(args)
    if (raw.list === true) return await listCalls(world, options)
    if (raw.resume !== undefined) return await resumeCall(world, raw.resume, options)
    return await callAgent(world, { args, raw, options })
  }
  return await answerWithJson(world, raw, call, {
    inWords: error =>
      raw.resume === undefined ? orStoppedUnpaid(world, error) : notAsked(world, raw.resume, error),
    document: error => documentOf(world, error),
  })
}

/** Refuses arguments, because the journal contains the agent and the job: another URL would be another call. */
function refuseArguments([first]: readonly string[]): void {
  if (first === undefined) return
  throw usageError(
    `--resume and --list are about calls that were made: "${printable(first.slice(0, 60))}" is not expected there`,
    'farebox call --resume, or farebox call --resume <job_id>',
  )
}

/**
 * Handles Ctrl-C before anything was sent, at a question or between questions; after that, a `CallFailure` is more
 * specific.
 */
function orStoppedUnpaid(world: World, error: unknown): unknown {
  const atQuestion = error instanceof CommandError && error.exitCode === EXIT.interrupted
  if (!atQuestion) return orStopped(world, error, 'nothing was paid')
  return new CommandError('stopped', 'nothing was paid', { cause: error, exitCode: EXIT.interrupted })
}

/** A `--resume` that ended before its request: it knows nothing new about an earlier payment. */
function notAsked({ signal }: World, named: string | true, error: unknown): CallFailure {
  const jobId = isJobId(named) ? named : undefined
  return explainUnforeseen(error, { jobId, stopped: signal.aborted })
}

function documentOf(world: World, error: unknown): object {
  if (!(error instanceof CallFailure))
    return { ...failureDocument(world, error, failureType(error)), charged: 'no' }
  return { ...error.document, ...failureDocument(world, error, error.document.error.type) }
}
