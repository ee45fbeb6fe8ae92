import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { holdsInfinity, parseAnswerJson } from '@farebox/client/internal/exchange/parse-json'
import type { OutboundOutcome } from '../../outbound/outbound.ts'

/** Converts an agent's answer to the form that the readers of `@farebox/client` take. Nothing in it is trusted yet. */
export function readAnswer(outcome: Extract<OutboundOutcome, { readonly kind: 'answered' }>): WholeAnswer {
  const { status, body } = outcome
  const headers = new Headers()
  for (const [name, value] of Object.entries(outcome.headers)) {
    // Invalid headers are left out, because `Headers` would throw.
    if (value !== undefined && /^[\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value))
      headers.set(name, value)
  }
  const flawed = (flaw: string): WholeAnswer => ({ status, headers, text: '', json: undefined, flaw })
  if (status >= 300 && status < 400) return flawed('is a redirect, which is not followed')
  if (!/^application\/json *(?:;|$)/i.test(headers.get('content-type') ?? '')) return flawed('is not JSON')
  const json = parseAnswerJson(body)
  if (json === undefined) return flawed('is not JSON, or nested too deeply')
  // Such a number can neither be hashed for a receipt nor be shown unchanged.
  if (holdsInfinity(json)) return flawed('has a number that is too large, like 1e400')
  return { status, headers, text: body, json, flaw: undefined }
}
