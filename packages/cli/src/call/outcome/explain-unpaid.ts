import { printable } from '@farebox/conformance/internal/printable'
import { AgentUnreachable, UnusableAnswer } from '@farebox/client/exchange/agent-errors'
import { QuoteRefused } from '@farebox/client/attempt/quote-refused'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { isOnLoopback } from '../../keys/local-economy.ts'
import { CommandError, EXIT, type ExitCode, usageError } from '../../command-error.ts'
import { CallFailure } from './call-document.ts'
import { schemeHint } from '../../terminal/read-option.ts'

/**
 * Describes an error that occurred before any payment was sent, for a person: nothing was charged. An unknown error is
 * returned unchanged.
 *
 * @param url the agent's URL as the person typed it
 */
export function explainUnpaid(error: unknown, url: string): unknown {
  if (error instanceof CommandError) return error
  if (error instanceof AgentUnreachable) {
    return failure(
      'unreachable',
      `${printable(url)}: ${printable(error.message)}`,
      whereToLook(url, error),
      error,
    )
  }
  if (error instanceof UnusableAnswer) {
    return failure('unusable', printable(error.message), whoseFault(error, url), error)
  }
  if (error instanceof QuoteRefused) {
    return failure('refused', printable(error.message), adviceFor(error), error)
  }
  if (isServiceError(error)) {
    const { errorType, message } = error
    return failure(errorType, `${errorType}: ${printable(message)}`, 'nothing was paid', error)
  }
  if (error instanceof TypeError && error.message.startsWith('agent URL: ')) {
    return usageError(printable(error.message), urlAdvice(url), error)
  }
  return error
}

function whereToLook(url: string, { cause }: AgentUnreachable): string {
  if (!isOnLoopback(url)) return 'is the URL right, and the agent awake? curl it'
  // A closed port on this machine refuses a connection at once, so a timeout means that the connection was accepted.
  if (cause === undefined)
    return 'it accepts connections and does not answer: a handler may block its process'
  return /^https:/i.test(url)
    ? 'on your own machine agents speak http: is it http:// instead?'
    : 'is it running? farebox dev starts it'
}

function whoseFault({ httpStatus }: UnusableAnswer, url: string): string {
  const route = /\/(?:execute|about|health)\/?$/.exec(url)?.[0]
  if (httpStatus === 404 && route !== undefined)
    return `leave out ${printable(route)}: the URL is the agent’s, not a route’s`
  return httpStatus === 404
    ? 'is the URL the one the agent is registered by?'
    : 'the agent has to be fixed: farebox check says what is wrong'
}

function failure(type: string, message: string, next: string, cause: unknown): CallFailure {
  return new CallFailure({ type, message, next, charged: 'no' }, { cause })
}

function adviceFor({ disagreement }: QuoteRefused): string {
  if (disagreement === 'network') return 'leave --network out, or take the one it offers'
  if (disagreement === 'signer') return 'it asked for no payment a moment ago; call again to see its price'
  return 'the agent contradicts its own /about or the table of tokens: do not pay it'
}

function urlAdvice(url: string): string {
  if (/^http:/i.test(url)) return '--allow-http takes it; anybody on the way can read and use what is sent'
  return schemeHint(url, isOnLoopback(`http://${url}`) ? 'http' : 'https', 'like https://agent.example')
}

interface UnresolvedCall {
  /** `undefined` when it is not known which job was meant. */
  readonly jobId: string | undefined
  readonly capability?: string
  readonly stopped: boolean
}

/**
 * Reports that nothing new is known about a sent payment, when the command was ended by something other than a response: an
 * invalid option, Ctrl-C before the request was sent, a bug of the command. A message that is already more specific is
 * returned unchanged.
 */
export function explainUnforeseen(
  error: unknown,
  { jobId, capability, stopped }: UnresolvedCall,
): CallFailure {
  if (error instanceof CallFailure) return error
  // Ctrl-C at a question also throws a refusal.
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
