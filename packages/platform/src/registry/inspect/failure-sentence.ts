import type { FailureReason } from '../../outbound/address/outbound-failure.ts'
import type { OutboundOutcome } from '../../outbound/outbound.ts'

/**
 * Describes why a response is unusable or has another status than the wanted one, in one of a few fixed sentences
 * (SSRF-08); undefined when it is usable.
 */
export function failureSentence(outcome: OutboundOutcome, wantedStatus = 200): string | undefined {
  if (outcome.kind === 'failed') return SENTENCES[outcome.reason]
  const { status } = outcome
  if (status === wantedStatus) return undefined
  if (status >= 300 && status < 400) return 'answers with a redirect, which is not followed'
  if (status === 404) return 'answers 404: there is no such route'
  if (status >= 500) return 'answers with an error of the server'
  return 'answers with an unexpected status'
}

const SENTENCES: { readonly [reason in FailureReason]: string } = {
  'refused-address': 'is not at a public address',
  unreachable: 'cannot be reached',
  'too-slow': 'takes longer than 10 s',
  'too-large': 'is larger than 256 KB',
  'not-acceptable': 'does not answer in plain HTTP',
}
