import {
  sendUntilMined,
  type Followed,
  type FollowLimits,
  type SentTransaction,
} from '@farebox/payments/internal/transaction/send-until-mined'
import type { OpenChain } from '../../chain/open-chain.ts'
import { nodeOf, readFirstBlock } from '../registry/call-node.ts'

/** Nobody waits at a terminal for a node that has gone. */
const MAX_SILENCES = 5

/**
 * Sends a transaction that was signed for a chain, as often as it takes, and waits until it is in a block. One that was
 * signed before its chain was begun anew is dead.
 *
 * @throws the signal's reason; then it may be in a block later
 */
export async function followOnChain(
  chain: OpenChain,
  sent: SentTransaction & { readonly firstBlock: string },
  limits: FollowLimits,
): Promise<Followed> {
  if ((await readFirstBlock(chain)) !== sent.firstBlock) return { outcome: 'dead' }
  return await sendUntilMined(nodeOf(chain), sent, { ...limits, maxSilences: MAX_SILENCES })
}
