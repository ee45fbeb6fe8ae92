import type { Clock } from '@farebox/protocol/time/clock'
import { ACTIVE_SECRETS, type SecretStore, type StoredSecret } from '../../secrets/secret-store.ts'
import { DEFAULT_PAYER_FAILURE_LIMITS, type Ledger, type PayerFailureLimits } from '../ledger.ts'
import { createMemoryAudit, memoryTotals } from './memory-audit.ts'
import { createMemoryLeases } from './memory-leases.ts'
import { createMemoryOwners, sponsor } from './memory-owners.ts'
import { createMemoryPayments } from './memory-payments.ts'
import { createMemorySettlements } from './memory-settlements.ts'
import { createMemoryTables, type MemoryTables } from './memory-tables.ts'

/**
 * The ledger in memory, for tests and simulations: the same rules as the PostgreSQL ledger, lost with the process.
 * Facilitators that share a ledger share this object.
 *
 * @example
 * ```ts
 * import { createMemoryLedger } from '@farebox/facilitator/ledger/memory/memory-ledger'
 * import { systemClock } from '@farebox/protocol/time/clock'
 *
 * // For `ledger` of `createFacilitator` in a test.
 * export const ledger = createMemoryLedger(systemClock)
 * ```
 */
export function createMemoryLedger(
  clock: Clock,
  failureLimits: PayerFailureLimits = DEFAULT_PAYER_FAILURE_LIMITS,
): Ledger {
  const tables = createMemoryTables()
  return {
    payments: createMemoryPayments(tables, failureLimits),
    settlements: createMemorySettlements(tables, clock, failureLimits),
    leases: createMemoryLeases(tables, clock),
    audit: createMemoryAudit(tables, clock),
    secrets: createMemorySecrets(tables),
    owners: createMemoryOwners(tables),
    // Within one process the holder of the lease is woken directly, so notifications are not needed.
    signals: { publish: () => Promise.resolve(), subscribe: () => () => undefined },
    totals: async (network, nowSeconds) => await Promise.resolve(memoryTotals(tables, network, nowSeconds)),
    close: () => Promise.resolve(),
  }
}

function createMemorySecrets(tables: MemoryTables): SecretStore {
  const secrets = new Map<string, StoredSecret>()
  return {
    async create(secret, sponsoring) {
      const active = [...secrets.values()].filter(one => one.owner === secret.owner && one.revokedAt === null)
      const mayHave = active.length < ACTIVE_SECRETS
      if (mayHave) secrets.set(secret.id, secret)
      if (mayHave && sponsoring !== undefined) sponsor(tables, secret.owner, sponsoring)
      return await Promise.resolve(mayHave)
    },
    async find(id) {
      return await Promise.resolve(secrets.get(id))
    },
    async list(of) {
      const owned = [...secrets.values()].filter(({ owner, wallets }) =>
        'owner' in of ? owner === of.owner : wallets.some(wallet => of.wallets.includes(wallet)),
      )
      return await Promise.resolve(
        owned.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1)),
      )
    },
    async change(id, change) {
      const secret = secrets.get(id)
      if (secret === undefined) return undefined
      const changed =
        'wallets' in change
          ? { ...secret, wallets: change.wallets }
          : 'revokedAt' in change
            ? { ...secret, revokedAt: secret.revokedAt ?? change.revokedAt }
            : { ...secret, lastUsedAt: Math.max(secret.lastUsedAt ?? 0, change.lastUsedAt) }
      secrets.set(id, changed)
      return await Promise.resolve(changed)
    },
  }
}
