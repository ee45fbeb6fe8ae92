import type { WalletBalance } from '@farebox/platform-api/wallets'
import type { PlatformParts } from '../platform-parts.ts'
import { readWallet } from './read-wallet.ts'

/** The balances of addresses, read from the node at most once a second for each. */
export interface WalletBalances {
  /**
   * @param address - lower case
   * @throws {Refusal} as {@link readWallet}
   */
  read(address: string): Promise<WalletBalance>
  /** Makes the next read query the node again. */
  forget(address: string): void
}

const KEPT_MS = 1_000
const MOST_KEPT = 5_000

interface Kept {
  readonly atMs: number
  readonly balance: Promise<WalletBalance>
}

/** Creates the cache. Concurrent reads of the same address share one query. A failed query is not cached. */
export function createWalletBalances(
  parts: Pick<PlatformParts, 'rpc' | 'network' | 'clock'>,
): WalletBalances {
  // In the order of their queries, so that the oldest come first.
  const kept = new Map<string, Kept>()

  function drop(address: string, one: Kept): void {
    if (kept.get(address) === one) kept.delete(address)
  }

  return {
    read(address) {
      const nowMs = parts.clock.nowMs()
      const known = kept.get(address)
      if (known !== undefined && Math.abs(nowMs - known.atMs) < KEPT_MS) return known.balance
      kept.delete(address)
      const [oldest] = kept.keys()
      if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest)
      const one: Kept = { atMs: nowMs, balance: readWallet(parts, address) }
      kept.set(address, one)
      one.balance.catch(() => drop(address, one))
      return one.balance
    },
    forget: address => void kept.delete(address),
  }
}
