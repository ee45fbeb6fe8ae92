import type { WalletBalance } from '@farebox/platform-api/wallets'
import type { PlatformParts } from '../platform-parts.ts'
import { readWallet } from './read-wallet.ts'

/** What addresses have, asked of the node at most once a second for each. */
export interface WalletBalances {
  /**
   * @param address lower-case
   * @throws {Refusal} as {@link readWallet}
   */
  read(address: string): Promise<WalletBalance>
  /** The next read asks the node. */
  forget(address: string): void
}

const KEPT_MS = 1_000
const MOST_KEPT = 5_000

interface Kept {
  readonly atMs: number
  readonly balance: Promise<WalletBalance>
}

/** Whoever asks while the node is being asked about the same address waits for that answer. A failure is not kept. */
export function createWalletBalances(
  parts: Pick<PlatformParts, 'rpc' | 'network' | 'clock'>,
): WalletBalances {
  // In the order in which they were asked for, so that the oldest come first.
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
