import type { WalletBalance } from '@farebox/platform-api/wallets'
import {
  askForNumber,
  readCoinBalance as readNative,
} from '@farebox/payments/internal/transaction/read-account'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { Refusal } from '../http/refusal.ts'
import { readBalance } from '../jobs/quote/read-balance.ts'
import type { PlatformParts } from '../platform-parts.ts'

const RETRY_AFTER_SECONDS = 2

/**
 * Reads the balance of an address on the chain with three calls to the node.
 *
 * @param address - lower case
 * @throws {Refusal} `unavailable` when the node does not respond
 */
export async function readWallet(
  { rpc, network }: Pick<PlatformParts, 'rpc' | 'network'>,
  address: string,
): Promise<WalletBalance> {
  try {
    // The block number is read first, so that the balances are of this block or a later one.
    const block = await askForNumber(rpc, 'eth_blockNumber', [])
    const [atomic, wei] = await Promise.all([readBalance(rpc, network, address), readNative(rpc, address)])
    return {
      address,
      usdc: formatUsdc(atomic),
      usdc_atomic: atomic.toString(),
      native_wei: wei.toString(),
      block_number: Number(block),
    }
  } catch (error) {
    throw nodeAway(error)
  }
}

/** The refusal of a request that needs the node while the node does not respond. */
export function nodeAway(cause: unknown): Refusal {
  return new Refusal('unavailable', 'the chain does not answer: ask again', {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
