import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { isAuthorizationUsed } from '@farebox/payments/chain/find-settlement'
import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import { readBalance } from './read-balance.ts'

/** What the chain says of a payer, at its head. */
export interface PayerState {
  readonly balanceAtomic: bigint
  /** The authorization was used or cancelled. */
  readonly isUsed: boolean
}

/** Two calls to the node. Undefined where it does not answer: nothing is known then. */
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
    log.warn('the chain did not say whether a payer can pay', { error: describeError(error) })
    return undefined
  }
}
