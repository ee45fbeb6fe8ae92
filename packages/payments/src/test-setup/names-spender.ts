import { encodeHeader } from '../x402/payment-header.ts'
import { SPEND_EXTENSION } from '../x402/spender-extension.ts'

/** The 402 of an agent that names its spender; `entries` undefined: of an agent that names none. */
export function namesSpender(entries: unknown): Response {
  const extensions = entries === undefined ? {} : { extensions: { [SPEND_EXTENSION]: entries } }
  const required = encodeHeader({ x402Version: 2, accepts: [], ...extensions })
  return Response.json(
    { x402Version: 1, accepts: [] },
    { status: 402, headers: { 'payment-required': required } },
  )
}
