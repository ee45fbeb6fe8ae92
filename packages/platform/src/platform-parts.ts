import type { Drain } from '@farebox/server/internal/drain'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { Checker } from './checking/checker.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { SettlementRule } from './settlement-rule.ts'
import type { PaymentSeal } from './sealing/payment-seal.ts'
import type { DueWork } from './work/due-work.ts'

/**
 * The services and settings a platform needs. The program that runs the platform creates them once.
 *
 * @example
 * ```ts
 * import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import { createChecker } from '@farebox/platform/checking/checker'
 * import { createOutbound } from '@farebox/platform/outbound/outbound'
 * import type { PlatformDependencies } from '@farebox/platform/platform-parts'
 * import { createPaymentSeal } from '@farebox/platform/sealing/payment-seal'
 * import { openStorage } from '@farebox/platform/storage/open-storage'
 * import { systemClock } from '@farebox/protocol/time/clock'
 * import { silentLog } from '@farebox/server/log'
 *
 * export async function makeDependencies(
 *   connectionString: string,
 *   { network, settings }: Pick<PlatformDependencies, 'network' | 'settings'>,
 * ): Promise<PlatformDependencies> {
 *   return {
 *     database: await openStorage({ connectionString }),
 *     outbound: createOutbound({ localMode: false }),
 *     checker: createChecker({ clock: systemClock }),
 *     clock: systemClock,
 *     log: silentLog,
 *     crypto: await loadEvmCrypto(),
 *     seal: createPaymentSeal(process.env.PAYMENT_ENCRYPTION_KEY ?? ''),
 *     rpc: createJsonRpc('https://sepolia.base.org'),
 *     network,
 *     settings,
 *   }
 * }
 * ```
 */
export interface PlatformDependencies {
  readonly database: Database
  /** The only way to call a URL on an untrusted host (D37). */
  readonly outbound: Outbound
  /** The only place where JSON from third parties is checked: their declarations, and values against their schemas (D42). */
  readonly checker: Checker
  readonly clock: Clock
  readonly log: Log
  readonly crypto: EvmCrypto
  /** Encrypts signed payments before they are written to the database. */
  readonly seal: PaymentSeal
  /** A node chosen by the platform's operator. */
  readonly rpc: JsonRpc
  readonly network: Network
  readonly settings: PlatformSettings
  /**
   * The difference between our clock and the node's. Returns `undefined` when they agree; absent when they are not
   * compared.
   */
  readonly clockSkew?: () => ClockSkew | undefined
}

/** The dependencies that every folder of the platform receives. */
export interface PlatformParts extends PlatformDependencies {
  readonly due: DueWork
  /** Absent: `/ready` does not announce a stop. */
  readonly drain?: Drain
}

/** A clock that differs from the node's clock. */
export interface ClockSkew {
  /** A description of the difference: `our clock is 40 s behind the node's`. */
  readonly said: string
  /** Whether the difference is too large to date payments by this clock. */
  readonly isUnfit: boolean
}

/** Settings of one platform. */
export interface PlatformSettings {
  /** The URL under which people and programs reach the platform, without a trailing slash. */
  readonly publicUrl: string
  /** Allows agents on this machine, over http. The platform announces it, so that the command line allows them too. */
  readonly localMode: boolean
  /** The AgentRegistry contract; lower-case address. */
  readonly registryAddress: string
  /** The block in which the contract was created; earlier blocks are not read. Default 0. */
  readonly registryFirstBlock?: number
  /** The block in which SpendPermissions was created; earlier blocks are not read. Default 0. */
  readonly permissionsFirstBlock?: number
  /** Blocks that must follow a registration's block before the registration counts. */
  readonly confirmations: number
  readonly checkIntervalMs: number
  readonly refreshIntervalMs: number
  /** The facilitator's own URL and service token; `undefined`: service secrets cannot be created here. */
  readonly facilitator: { readonly url: string; readonly adminToken: string } | undefined
  /**
   * Settlements per day granted to owners there; `undefined`: the facilitator uses its one number for every listed owner.
   */
  readonly settlements?: SettlementRule | undefined
  /** Token that opens the operator's routes; `undefined`: these routes do not exist. */
  readonly operatorToken: string | undefined
  /** The most the daily canary jobs may cost per day, in total and in atomic units; 0: no canary jobs are sent. */
  readonly canaryBudgetAtomic: bigint
  /** The key that pays for canary jobs: 32 bytes of `0x` hex. */
  readonly canaryKey: string | undefined
  /** The key that gives test money to any caller on a local chain: 32 bytes of `0x` hex. */
  readonly faucetKey: string | undefined
}

/** Default intervals, in milliseconds. */
export const CHECK_INTERVAL_MS = 600_000
export const REFRESH_INTERVAL_MS = 86_400_000
