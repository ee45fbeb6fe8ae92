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
 * What a platform is built on; made once, by the program around it.
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
  /** The only way to an untrusted host's URL (D37). */
  readonly outbound: Outbound
  /** The only place where declarations of others, and what is checked against them, are examined (D42). */
  readonly checker: Checker
  readonly clock: Clock
  readonly log: Log
  readonly crypto: EvmCrypto
  /** Encrypts signed payments before they are written to the database. */
  readonly seal: PaymentSeal
  /** A node of our own operator's choosing. */
  readonly rpc: JsonRpc
  readonly network: Network
  readonly settings: PlatformSettings
  /** How our clock differs from the node's; undefined where they agree, absent where nobody compares them. */
  readonly clockSkew?: () => ClockSkew | undefined
}

/** What every folder of the platform is built on. */
export interface PlatformParts extends PlatformDependencies {
  readonly due: DueWork
}

/** A clock that differs from another. */
export interface ClockSkew {
  /** In words: `our clock is 40 s behind the node's`. */
  readonly said: string
  /** So far that no payment can be dated by it. */
  readonly isUnfit: boolean
}

/** How this platform is set up. */
export interface PlatformSettings {
  /** Where people and programs reach it, without a slash at the end. */
  readonly publicUrl: string
  /** Agents on this machine, over http, are allowed; announced, so that the command line allows them too. */
  readonly localMode: boolean
  /** The AgentRegistry contract; lower-case address. */
  readonly registryAddress: string
  /** Where the contract was created: earlier blocks are not read. Default 0. */
  readonly registryFirstBlock?: number
  /** Where SpendPermissions was created: earlier blocks are not read. Default 0. */
  readonly permissionsFirstBlock?: number
  /** Blocks on top of a registration before it counts. */
  readonly confirmations: number
  readonly checkIntervalMs: number
  readonly refreshIntervalMs: number
  /** The facilitator's own URL and service token; undefined: secrets cannot be made here. */
  readonly facilitator: { readonly url: string; readonly adminToken: string } | undefined
  /** How many settlements owners are granted there; undefined: the facilitator's one number for every listed owner. */
  readonly settlements?: SettlementRule | undefined
  /** Opens the operator's routes; undefined: there are none. */
  readonly operatorToken: string | undefined
  /** What the daily jobs may cost in a day, in all; 0: none are made. */
  readonly canaryBudgetAtomic: bigint
  /** Pays for them; 32 bytes of `0x` hex. */
  readonly canaryKey: string | undefined
  /** Gives test money to anyone, on a local chain; 32 bytes of `0x` hex. */
  readonly faucetKey: string | undefined
}

/** How long things take where nobody says otherwise. */
export const CHECK_INTERVAL_MS = 600_000
export const REFRESH_INTERVAL_MS = 86_400_000
