import { printable } from '@farebox/conformance/internal/printable'
import { chooseFees, type GasFees } from '@farebox/payments/internal/transaction/choose-fees'
import { type TransactionCall, estimateGas } from '@farebox/payments/internal/transaction/estimate-gas'
import { countTransactions, readCoinBalance } from '@farebox/payments/internal/transaction/read-account'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import type { Clock } from '@farebox/protocol/time/clock'
import { formatCoin } from '../../chain/name-network.ts'
import type { OpenChain } from '../../chain/open-chain.ts'
import { CommandError } from '../../command-error.ts'
import { paintFor } from '../../terminal/text.ts'
import type { OpenRegistry } from './open-registry.ts'
import { nodeOf, readFirstBlock } from '../registry/call-node.ts'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import {
  type FollowedToBlock,
  sendUntilMined,
  type SentTransaction,
} from '@farebox/payments/internal/transaction/send-until-mined'
import { signTransaction } from '@farebox/payments/internal/transaction/sign-transaction'
import type { KeySigner } from '../../keys/paying-key.ts'
import type { World } from '../../world.ts'
import { showProgress } from '../../terminal/progress.ts'

export interface PlannedTransaction extends TransactionCall {
  readonly gasLimit: bigint
  readonly fees: GasFees
  readonly gasWei: bigint
}

const TEST_WEI = 10n ** 19n

/**
 * Simulates the call on the node and returns its cost.
 *
 * @param contract the name of the called contract, for the error message when it reverts
 */
export async function planTransaction(
  { chain, testNodeUrl }: Pick<OpenRegistry, 'chain' | 'testNodeUrl'>,
  call: TransactionCall,
  contract = 'the registry contract',
): Promise<PlannedTransaction> {
  const fees = await chooseFees(nodeOf(chain))
  const balance = await readCoinBalance(nodeOf(chain), call.from)
  // A node refuses to estimate a transaction that the wallet cannot pay, with a message of its own.
  if (balance <= call.valueWei) throw tooPoor(chain, testNodeUrl, call, { balance })
  const gasLimit = await estimate(chain, call, contract)
  const gasWei = gasLimit * fees.maxFeePerGas
  if (balance < call.valueWei + gasWei) throw tooPoor(chain, testNodeUrl, call, { balance, gasWei })
  return { ...call, gasLimit, fees, gasWei }
}

async function estimate(chain: OpenChain, call: TransactionCall, contract: string): Promise<bigint> {
  try {
    return await estimateGas(nodeOf(chain), call)
  } catch (cause) {
    if (!(cause instanceof JsonRpcError)) throw cause
    throw new CommandError(
      `${contract} would refuse: ${printable(cause.message.slice(0, 200))}`,
      'nothing was sent',
      { cause },
    )
  }
}

function tooPoor(
  { network }: OpenChain,
  testNodeUrl: string | undefined,
  { from, valueWei }: TransactionCall,
  { balance, gasWei }: { readonly balance: bigint; readonly gasWei?: bigint },
): CommandError {
  const gas = gasWei === undefined ? 'gas' : `up to ${formatCoin(gasWei)} ETH for gas`
  const needed = valueWei === 0n ? gas : `${formatCoin(valueWei)} ETH and ${gas}`
  const where = testNodeUrl === undefined ? network.name : 'the local chain'
  return new CommandError(
    `${from} holds ${formatCoin(balance)} ETH on ${where}; this takes ${needed}`,
    testNodeUrl === undefined
      ? `send it ETH on ${network.name} (${network.id}), and run the same command again`
      : `give it ${formatCoin(TEST_WEI)} test ETH, and run the same command again:\n${giveTestMoney(testNodeUrl, from)}`,
  )
}

/** Returns a shell line that gives test money: the node of a local chain allows every caller to set a balance. */
function giveTestMoney(nodeUrl: string, address: string): string {
  const parameters = [address, `0x${TEST_WEI.toString(16)}`]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params: parameters })
  return `curl -s ${new URL(nodeUrl).origin} -H 'content-type: application/json' -d '${body}'`
}

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

/** After this many missing responses the wait ends, because a person waits at the terminal. */
const MAX_SILENCES = 5
/** Blocks come every few seconds, but fees may rise before ours is included. */
const BLOCK_WITHIN_MS = 180_000

/**
 * Sends a signed transaction, repeatedly if necessary, and waits until it is in a block. A transaction that was signed
 * before its chain was reset is void.
 *
 * @param doing the text that is shown meanwhile
 * @throws the signal's reason; the transaction may still get into a block later
 */
export async function followOnChain(
  { world, clock, chain }: { readonly world: World; readonly clock: Clock; readonly chain: OpenChain },
  sent: SentTransaction & { readonly firstBlock: string },
  doing: string,
  timeoutMs = BLOCK_WITHIN_MS,
): Promise<FollowedToBlock> {
  const progress = showProgress(world, doing)
  try {
    if ((await readFirstBlock(chain)) !== sent.firstBlock) return { outcome: 'dead' }
    const limits = { clock, signal: world.signal, timeoutMs, maxSilences: MAX_SILENCES }
    const followed = await sendUntilMined(nodeOf(chain), sent, limits)
    if (followed.outcome === 'open') world.signal.throwIfAborted()
    return followed
  } finally {
    progress.end()
  }
}

export function tellBlock({ err }: World, what: string, block: bigint): void {
  err.write(`  ${paintFor(err).green('✓')} ${what} in block ${block}\n`)
}
