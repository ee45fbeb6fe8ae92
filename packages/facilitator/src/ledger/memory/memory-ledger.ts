import type { Clock } from '@farebox/server/clock'
import { ACTIVE_SECRETS, type SecretStore, type StoredSecret } from '../../secrets/secret-store.ts'
import { DEFAULT_PAYER_STANDING, type Ledger, type PayerStanding } from '../ledger.ts'
import { createMemoryAudit, memoryTotals } from './memory-audit.ts'
import { createMemoryPayments } from './memory-payments.ts'
import { createMemoryLeases, createMemorySettlements } from './memory-settlements.ts'
import { createMemoryTables } from './memory-tables.ts'

/**
 * The ledger's twin in memory, for tests and simulations: the same rules, gone with the process. Facilitators
 * that are to share it share the object.
 */
export function createMemoryLedger(clock: Clock, standing: PayerStanding = DEFAULT_PAYER_STANDING): Ledger {
  const tables = createMemoryTables()
  return {
    payments: createMemoryPayments(tables),
    settlements: createMemorySettlements(tables, clock, standing),
    leases: createMemoryLeases(tables, clock),
    audit: createMemoryAudit(tables),
    secrets: createMemorySecrets(),
    // Within one process whoever holds the lease is woken directly; nobody relies on a bell.
    signals: { publish: () => Promise.resolve(), subscribe: () => () => undefined },
    totals: async (network, nowSeconds) => await Promise.resolve(memoryTotals(tables, network, nowSeconds)),
    close: () => Promise.resolve(),
  }
}

function createMemorySecrets(): SecretStore {
  const secrets = new Map<string, StoredSecret>()
  return {
    async create(secret) {
      const active = [...secrets.values()].filter(one => one.owner === secret.owner && one.revokedAt === null)
      if (active.length < ACTIVE_SECRETS) secrets.set(secret.id, secret)
      return await Promise.resolve(active.length < ACTIVE_SECRETS)
    },
    async find(id) {
      return await Promise.resolve(secrets.get(id))
    },
    async list(owner) {
      const owned = [...secrets.values()].filter(secret => secret.owner === owner)
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
          : { ...secret, revokedAt: secret.revokedAt ?? change.revokedAt }
      secrets.set(id, changed)
      return await Promise.resolve(changed)
    },
  }
}
