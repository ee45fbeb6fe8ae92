import type { Sponsoring } from '../owner-ledger.ts'
import type { PaymentRecord } from '../payment-record.ts'
import type { NumberedSettlement } from '../settlement-ledger.ts'

/** A row of payments, with what the ports do not show. */
export interface MemoryPayment extends PaymentRecord {
  readonly transactionId: string | undefined
  /** Order of capture. */
  readonly capturedAt: number
  /** When it was first settled, in milliseconds; undefined where it never was. */
  readonly settledAtMs: number | undefined
  readonly isConfirmed: boolean
  /** A transaction failed under it through no fault of its own. */
  readonly harmed: boolean
  /** Which process is about to send it, and until when no other should. */
  readonly claim: { readonly holder: string; readonly untilMs: number } | undefined
}

/** A signed transaction. */
export interface MemoryTransaction extends NumberedSettlement {
  readonly id: string
  readonly network: string
  readonly relayer: string
  readonly hashes: readonly string[]
  readonly state: 'open' | 'mined' | 'dropped'
}

/** The tables of the twin; rows are replaced, never changed. */
export interface MemoryTables {
  readonly payments: Map<string, MemoryPayment>
  readonly transactions: Map<string, MemoryTransaction>
  /** By owner; one that is not here is named. */
  readonly sponsorships: Map<string, Sponsoring>
  /** By owner and UTC day. */
  readonly ownerUse: Map<string, { readonly settlements: number; readonly revertedGas: bigint }>
  /** Those under whose payments gas was burned: network, payer and UTC day. */
  readonly burners: Set<string>
  /** By network, payer and owner. */
  readonly payerFailures: Map<string, PairFailures>
  /** By network and relayer. */
  readonly leases: Map<
    string,
    { readonly holder: string; readonly fence: bigint; readonly expiresAtMs: number }
  >
}

/** How often payments of a payer to an owner failed in a row. */
export interface PairFailures {
  readonly network: string
  readonly payer: string
  readonly owner: string
  readonly failures: number
  readonly failedAt: number
  readonly barredUntil: number
}

/** Empty tables. */
export function createMemoryTables(): MemoryTables {
  return {
    payments: new Map(),
    transactions: new Map(),
    sponsorships: new Map(),
    ownerUse: new Map(),
    burners: new Set(),
    payerFailures: new Map(),
    leases: new Map(),
  }
}

/** The UTC day of a time in Unix seconds. */
export function utcDay(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}

/** Runs a step that nothing can interrupt; rejects for what it throws, as a database would. */
export async function resolved<T>(step: () => T): Promise<T> {
  return await Promise.resolve(step())
}
