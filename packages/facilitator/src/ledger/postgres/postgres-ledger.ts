import type { Clock } from '@farebox/protocol/time/clock'
import { DEFAULT_PAYER_FAILURE_LIMITS, type Ledger, type PayerFailureLimits } from '../ledger.ts'
import { checkConnections } from '@farebox/server/internal/postgres/check-connections'
import { checkRightsToWork } from '@farebox/server/internal/postgres/check-rights'
import { connect } from '@farebox/server/internal/postgres/connect'
import { takesWrites } from '@farebox/server/internal/postgres/outage-gate'
import { migrate } from '@farebox/server/internal/postgres/migrate'
import { createPostgresAudit, readTotals } from './postgres-audit.ts'
import { createPostgresLeases } from './postgres-leases.ts'
import { createPostgresOwners } from './postgres-owners.ts'
import { createPostgresPayments } from './postgres-payments.ts'
import { createPostgresSecrets } from './postgres-secrets.ts'
import { createPostgresSettlements } from './postgres-settlements.ts'
import { createPostgresSignals } from './postgres-signals.ts'

/** Two levels up from both `src` and `dist`. */
const MIGRATIONS = new URL('../../../migrations/', import.meta.url)

/** Options for opening a ledger on PostgreSQL. */
export interface PostgresLedgerOptions {
  /** `postgres://user:password@host:port/database` */
  readonly connectionString: string
  /**
   * The direct address of the server if `connectionString` is a pooler that assigns connections for one transaction at a
   * time; used for migrations and other work that needs a session.
   */
  readonly directConnectionString?: string | undefined
  /** The schema of the ledger; default `farebox_facilitator`. */
  readonly schema?: string
  /** The most connections; default 10. */
  readonly connections?: number
  readonly clock: Clock
  readonly failureLimits?: PayerFailureLimits
  /** Called with the error of a connection that broke while idle. */
  readonly onError?: (error: Error) => void
  /** Called before migrations run, with their number. */
  readonly onMigrating?: (count: number) => void
}

/**
 * Opens the ledger on PostgreSQL 14 or newer and migrates its schema to the latest version.
 *
 * Rejects when the server cannot be reached, is not PostgreSQL or gives the role too few rights, and when a migration fails.
 *
 * @example
 * ```ts
 * import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
 * import { systemClock } from '@farebox/protocol/time/clock'
 *
 * const ledger = await openPostgresLedger({
 *   connectionString: 'postgres://farebox@127.0.0.1:5432/farebox',
 *   schema: 'facilitator_test',
 *   clock: systemClock,
 *   onError: error => console.warn(`a connection was lost: ${error.message}`),
 * })
 * await ledger.close()
 * ```
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const { connectionString, clock, schema = 'farebox_facilitator', connections = 10 } = options
  const { failureLimits = DEFAULT_PAYER_FAILURE_LIMITS } = options
  const isPooled = options.directConnectionString !== undefined
  const direct = options.directConnectionString ?? connectionString
  const database = connect({
    connectionString,
    schema,
    connections,
    program: 'farebox-facilitator',
    isPooled,
    onError: options.onError ?? (() => undefined),
  })
  try {
    await checkConnections(database, { isPooled, searchPath: false })
    await migrate(direct, {
      folder: MIGRATIONS,
      schema,
      program: 'facilitator',
      variable: isPooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL',
      onMigrating: options.onMigrating,
    })
    await checkRightsToWork(database.pool, schema)
  } catch (error) {
    await database.pool.end()
    throw error
  }
  const signals = createPostgresSignals(database, direct, clock)
  return {
    payments: createPostgresPayments(database, clock, failureLimits),
    settlements: createPostgresSettlements({ database, clock, failureLimits, notify: signals.notify }),
    leases: createPostgresLeases(database),
    audit: createPostgresAudit(database),
    secrets: createPostgresSecrets(database),
    owners: createPostgresOwners(database),
    signals,
    takesWrites: () => takesWrites(database),
    totals: (network, nowSeconds) => readTotals(database, network, nowSeconds),
    pool: () => ({
      open: database.pool.totalCount,
      idle: database.pool.idleCount,
      waiting: database.pool.waitingCount,
    }),
    async close() {
      await signals.close()
      await database.pool.end()
    },
  }
}
