import type { Clock } from '@farebox/protocol/time/clock'
import type { SenderLease, SenderLeases } from '../settlement-ledger.ts'
import type { MemoryTables } from './memory-tables.ts'

/** {@link SenderLeases} in memory. */
export function createMemoryLeases({ leases }: MemoryTables, clock: Clock): SenderLeases {
  return {
    async acquire({ network, relayer }, holder, leaseMs) {
      const known = leases.get(`${network} ${relayer}`)
      if (known !== undefined && known.holder !== holder && known.expiresAtMs > clock.nowMs())
        return undefined
      const fence = (known?.fence ?? 0n) + (known?.holder === holder ? 0n : 1n)
      leases.set(`${network} ${relayer}`, { holder, fence, expiresAtMs: clock.nowMs() + leaseMs })
      return await Promise.resolve({ network, relayer, fence })
    },
    async giveUp({ network, relayer, fence }) {
      const known = leases.get(`${network} ${relayer}`)
      if (known?.fence === fence) leases.set(`${network} ${relayer}`, { holder: '', fence, expiresAtMs: 0 })
      await Promise.resolve()
    },
  }
}

/** Does this holder still have the lease of the account? */
export function holdsLease(
  { leases }: MemoryTables,
  clock: Clock,
  { network, relayer, fence }: SenderLease,
): boolean {
  const known = leases.get(`${network} ${relayer}`)
  return known !== undefined && known.fence === fence && known.expiresAtMs > clock.nowMs()
}

/** Does any process hold the lease of the account? */
export function isAttended(
  { leases }: MemoryTables,
  clock: Clock,
  { network, relayer }: Pick<SenderLease, 'network' | 'relayer'>,
): boolean {
  return (leases.get(`${network} ${relayer}`)?.expiresAtMs ?? 0) > clock.nowMs()
}
