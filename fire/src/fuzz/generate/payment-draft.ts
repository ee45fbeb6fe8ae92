import { findNetwork, type Network } from '@farebox/payments/networks'
import { ORIGIN } from '../run/fuzz-stage.ts'

/** A payment while it is being made: right until a spoil changes it. */
export interface PaymentDraft {
  version: 1 | 2
  readonly authorization: { [field in AuthorizationField]: string }
  salt: string | undefined
  /** Which wallet signs, from 0; `authorization.from` says whose payment it claims to be. */
  signer: number
  /** Whose domain is signed. */
  network: Network
}

type AuthorizationField = 'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce'

/** What a payment is for. */
export interface PaymentTerms {
  /** Decimal atomic units. */
  readonly amount: string
  readonly nowSeconds: number
  readonly job: NamedJob
}

export interface NamedJob {
  readonly endpoint: string
  readonly capability: string
  readonly jobId: string
}

export const EXECUTE_URL = `${ORIGIN}/execute`

/** The id of another job: a different one for each number from 1. */
export function otherJobId(jobId: string, number: number): string {
  const first = (Number.parseInt(jobId.slice(0, 8), 16) ^ number) >>> 0
  return first.toString(16).padStart(8, '0') + jobId.slice(8)
}

/** A network of the table. */
export function networkOf(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`${id} is not in the table`)
  return network
}

/** A network of the table that is not the agent's. */
export const OTHER_NETWORK = networkOf('eip155:8453')
