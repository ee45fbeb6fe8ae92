import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { isAuthorizationUsed } from '@farebox/payments/chain/find-settlement'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { readBalance } from './read-balance.ts'

/** The state of a payer at the chain's head. */
export interface PayerState {
  readonly balanceAtomic: bigint
  /** Whether the authorization was used or cancelled. */
  readonly isUsed: boolean
}

/** Makes two calls to the node. Resolves to `undefined` when the node does not answer. */
export async function readPayerState(
  { rpc, network, log }: Pick<PlatformParts, 'rpc' | 'network' | 'log'>,
  authorization: Authorization,
): Promise<PayerState | undefined> {
  try {
    const [balanceAtomic, isUsed] = await Promise.all([
      readBalance(rpc, network, authorization.from),
      isAuthorizationUsed(rpc, network, authorization),
    ])
    return { balanceAtomic, isUsed }
  } catch (error) {
    log.warn('could not read from the chain whether a payer can pay', { error: describeError(error) })
    return undefined
  }
}
