import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { SentTransaction } from '@farebox/payments/internal/transaction/send-until-mined'
import { countTransactions } from '@farebox/payments/internal/transaction/read-account'
import { signTransaction } from '@farebox/payments/internal/transaction/sign-transaction'
import type { OpenChain } from '../../chain/open-chain.ts'
import type { KeySigner } from '../../keys/paying-key.ts'
import { nodeOf, readFirstBlock } from '../registry/call-node.ts'
import type { PlannedTransaction } from './plan-transaction.ts'

/** Signs a planned call behind all that its wallet has sent. Nothing is sent. */
export async function signCall(
  chain: OpenChain,
  crypto: Pick<EvmCrypto, 'keccak256'>,
  signer: KeySigner,
  planned: PlannedTransaction,
): Promise<SentTransaction & { readonly firstBlock: string }> {
  const { from, to, valueWei, callData, gasLimit, fees } = planned
  const [firstBlock, nonce] = await Promise.all([
    readFirstBlock(chain),
    countTransactions(nodeOf(chain), from, 'pending'),
  ])
  const { chainId } = chain.network
  const transaction = { chainId, nonce, ...fees, gasLimit, to, valueWei, callData }
  return { from, nonce, firstBlock, ...signTransaction(crypto, signer.signDigest, transaction) }
}
