import { isAddress } from '@farebox/payments/crypto/address'
import { writeTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import { HIRE_PATH_HEADER, type CallOrigin } from '../handler/job-hiring.ts'

/** The most agents in one chain of hires; the budget limits a chain as well, but later. */
export const MOST_IN_PATH = 8

/** Wallets, lower-case, of the agents that hired one another for this job. Parts that are no address are dropped. */
export function readPath({ hirePath = '' }: Pick<CallOrigin, 'hirePath'>): readonly string[] {
  return hirePath
    .slice(0, (MOST_IN_PATH + 1) * 44)
    .split(',')
    .map(part => part.trim().toLowerCase())
    .filter(part => isAddress(part))
}

/** The headers of a child order: the path with this agent appended, and the trace with a span id of its own. */
export function childHeaders(origin: CallOrigin, wallet: string): { readonly [name: string]: string } {
  return {
    [HIRE_PATH_HEADER]: [...readPath(origin), wallet.toLowerCase()].join(','),
    traceparent: writeTraceparent(origin.trace),
  }
}
