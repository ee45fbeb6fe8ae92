import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { holdsInfinity, parseAnswerJson } from '@farebox/client/internal/exchange/parse-json'
import type { OutboundOutcome } from '../../outbound/outbound.ts'

/** An agent's answer, as the readers of `@farebox/client` take it: nothing in it is believed yet. */
export function readAnswer(outcome: Extract<OutboundOutcome, { readonly kind: 'answered' }>): WholeAnswer {
  const { status, body } = outcome
  const headers = new Headers()
  for (const [name, value] of Object.entries(outcome.headers)) {
    // What is no header is left out rather than thrown for.
    if (value !== undefined && /^[\w-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value))
      headers.set(name, value)
  }
  const flawed = (flaw: string): WholeAnswer => ({ status, headers, text: '', json: undefined, flaw })
  if (status >= 300 && status < 400) return flawed('is a redirect, which is not followed')
  if (!/^application\/json *(?:;|$)/i.test(headers.get('content-type') ?? '')) return flawed('is not JSON')
  const json = parseAnswerJson(body)
  if (json === undefined) return flawed('is not JSON, or nested too deeply')
  // Neither can it be hashed for a receipt, nor be shown to anybody as it came.
  if (holdsInfinity(json)) return flawed('has a number that is too large, like 1e400')
  return { status, headers, text: body, json, flaw: undefined }
}
