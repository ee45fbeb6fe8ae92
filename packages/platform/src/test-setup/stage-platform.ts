import { LOCAL_AGENT_REGISTRY_ADDRESS } from '@farebox/contracts/addresses'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createManualClock, type ManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { systemClock } from '@farebox/protocol/time/clock'
import { silentLog } from '@farebox/server/log'
import { createDueWork } from '../work/due-work.ts'
import { createOutbound } from '../outbound/outbound.ts'
import {
  CHECK_INTERVAL_MS,
  REFRESH_INTERVAL_MS,
  type PlatformParts,
  type PlatformSettings,
} from '../platform-parts.ts'
import { DEFAULT_SETTLEMENT_RULE } from '../settlement-rule.ts'
import { createPaymentSeal } from '../sealing/payment-seal.ts'
import { openStorage } from '../storage/open-storage.ts'
import { createCheckerHere } from './checker-here.ts'
import { createOwnDatabase } from './database/own-database.ts'

/** The key that encrypts payments in tests. */
export const TEST_PAYMENT_KEY = `0x${'5e'.repeat(32)}`

/** Parts that a test provides itself. */
export interface StageOptions extends Partial<Omit<PlatformParts, 'settings' | 'database'>> {
  readonly settings?: Partial<PlatformSettings>
  /** Default 2027-01-01; ignored when the test provides a clock. */
  readonly startMs?: number
  /** Uses the machine's own clock instead of the manual one. */
  readonly realTime?: boolean
}

/** The parts of a platform on a database of their own. */
export interface Stage {
  readonly parts: PlatformParts
  readonly database: PlatformParts['database']
  /** Of the stage's database. */
  readonly connectionString: string
  /** The clock of the parts, unless the test has provided another or uses real time. */
  readonly clock: ManualClock
  /**
   * Creates the parts of a second worker: the same database, clock and settings, but its own connections. They are
   * closed with the stage.
   */
  anotherWorker(overrides?: Partial<PlatformParts>): Promise<PlatformParts>
  /** Closes everything that was opened and drops the database. */
  close(): Promise<void>
}

/**
 * Prepares a database of its own on the tests' PostgreSQL server, and the parts of a platform in local mode: a manual
 * clock, a guard that may call this machine, a silent log, and a node that fails every call.
 */
export async function stagePlatform(options: StageOptions = {}): Promise<Stage> {
  const { connectionString, drop } = await createOwnDatabase()
  const manualClock = createManualClock(options.startMs)
  const clock = options.clock ?? (options.realTime === true ? systemClock : manualClock)
  const database = await openStorage({ connectionString, connections: 6 })
  const outbound = options.outbound ?? createOutbound({ localMode: true, clock })
  const checker = options.checker ?? createCheckerHere()
  const closers: (() => Promise<unknown>)[] = [
    () => database.pool.end(),
    () => outbound.close(),
    () => checker.close(),
  ]
  const parts: PlatformParts = {
    database,
    outbound,
    checker,
    clock,
    due: createDueWork(clock),
    log: options.log ?? silentLog,
    crypto: options.crypto ?? (await loadEvmCrypto()),
    seal: options.seal ?? createPaymentSeal(TEST_PAYMENT_KEY),
    rpc: options.rpc ?? NO_NODE,
    network: options.network ?? testNetwork(),
    settings: { ...TEST_SETTINGS, ...options.settings },
  }
  return {
    parts,
    database,
    connectionString,
    clock: manualClock,
    async anotherWorker(overrides = {}) {
      const own = await openStorage({ connectionString, connections: 6 })
      closers.push(() => own.pool.end())
      return { ...parts, database: own, due: createDueWork(parts.clock), ...overrides }
    },
    async close() {
      for (const closeOne of closers.splice(0).toReversed()) await closeOne()
      await drop()
    },
  }
}

const TEST_SETTINGS: PlatformSettings = {
  publicUrl: 'http://127.0.0.1:4020',
  localMode: true,
  registryAddress: LOCAL_AGENT_REGISTRY_ADDRESS.toLowerCase(),
  confirmations: 2,
  checkIntervalMs: CHECK_INTERVAL_MS,
  refreshIntervalMs: REFRESH_INTERVAL_MS,
  facilitator: undefined,
  settlements: DEFAULT_SETTLEMENT_RULE,
  operatorToken: undefined,
  canaryBudgetAtomic: 0n,
  canaryKey: undefined,
  faucetKey: undefined,
}

const NO_NODE: JsonRpc = {
  call: method => Promise.reject(new Error(`${method}: this test has no node`)),
  close: () => Promise.resolve(),
}

function testNetwork(): Network {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('eip155:84532 is not in the table of networks')
  return network
}
