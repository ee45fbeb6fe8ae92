import { isAddress } from '@farebox/payments/crypto/address'
import { HIRE_PATH_HEADER, type CallOrigin } from '../handler/job-hiring.ts'

/** So many agents may stand one below the other; a budget ends a chain as well, but later. */
export const MOST_IN_PATH = 8

/** Wallets, lower-case, of the agents that hired one another for this job. What is no wallet is left out. */
export function readPath({ hirePath = '' }: CallOrigin): readonly string[] {
  return hirePath
    .slice(0, (MOST_IN_PATH + 1) * 44)
    .split(',')
    .map(part => part.trim().toLowerCase())
    .filter(part => isAddress(part))
}

/** What goes with a child order: the path with this agent at its end, and the trace as it came. */
export function childHeaders(origin: CallOrigin, wallet: string): { readonly [name: string]: string } {
  const { traceparent } = origin
  return {
    [HIRE_PATH_HEADER]: [...readPath(origin), wallet.toLowerCase()].join(','),
    ...(traceparent !== undefined && TRACEPARENT.test(traceparent) && { traceparent }),
  }
}

/** W3C Trace Context, version 00 and what later ones begin with. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]{0,200})?$/
