import { EXIT, CommandError, type ExitCode } from '../../command-error.ts'
import { printable } from '../../terminal/printable.ts'
import { CallFailure } from './call-failure.ts'

/** A call whose payment was, or may have been, sent. */
export interface UnresolvedCall {
  /** Undefined where it is not known which was meant. */
  readonly jobId: string | undefined
  readonly capability?: string
  /** Whether a person ended the command. */
  readonly stopped: boolean
}

/**
 * Says of a payment that was sent that nothing new is known of it, where something else than an answer ended the
 * command: an option that is wrong, Ctrl-C before anybody was asked, a fault of ours. What is told better already is
 * handed back as it is.
 */
export function explainUnforeseen(
  error: unknown,
  { jobId, capability, stopped }: UnresolvedCall,
): CallFailure {
  if (error instanceof CallFailure) return error
  // Ctrl-C at a question is a refusal too.
  const asked = error instanceof CommandError && error.exitCode !== EXIT.interrupted ? error : undefined
  const isStopped = asked === undefined && (stopped || error instanceof CommandError)
  const reason = error instanceof Error ? error.message : String(error)
  const again =
    jobId === undefined
      ? 'farebox call --list shows what is journalled'
      : `what was sent may have been charged; ask for it, without paying again: farebox call --resume ${jobId}`
  return new CallFailure(
    {
      ...(jobId === undefined ? {} : { job_id: jobId }),
      ...(capability === undefined ? {} : { capability }),
      type: isStopped ? 'stopped' : asked === undefined ? 'internal' : 'refused',
      message: isStopped ? 'stopped' : (asked?.message ?? printable(reason)),
      next: asked === undefined || asked.next === '' ? again : asked.next,
      charged: 'unknown',
    },
    { cause: error, exitCode: exitCodeOf(asked) },
  )
}

function exitCodeOf(asked: CommandError | undefined): ExitCode {
  return asked?.exitCode ?? EXIT.unresolved
}
