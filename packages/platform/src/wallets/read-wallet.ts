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
 * What an address has on the chain, as the node says: three calls.
 *
 * @param address lower-case
 * @throws {Refusal} `unavailable` where the node does not answer
 */
export async function readWallet(
  { rpc, network }: Pick<PlatformParts, 'rpc' | 'network'>,
  address: string,
): Promise<WalletBalance> {
  try {
    // The number first: what is read afterwards is of this block or of a later one.
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

/** The refusal of a request that needs the node, while the node does not answer. */
export function nodeAway(cause: unknown): Refusal {
  return new Refusal('unavailable', 'the chain does not answer: ask again', {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
