import type { Sponsoring } from '../owner-ledger.ts'
import type { PaymentRecord } from '../payment-record.ts'
import type { NumberedSettlement } from '../settlement-ledger.ts'

/** A row of payments, with the columns that the ports do not expose. */
export interface MemoryPayment extends PaymentRecord {
  readonly transactionId: string | undefined
  /** Order of capture. */
  readonly capturedAt: number
  /** When it was first settled, in milliseconds; undefined if it never was. */
  readonly settledAtMs: number | undefined
  readonly isConfirmed: boolean
  /** A transaction that carried it failed, and not because of this payment. */
  readonly harmed: boolean
  /** The process that is about to send it, and until when other processes leave it alone. */
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

/** The tables of the ledger in memory; rows are replaced, never mutated. */
export interface MemoryTables {
  readonly payments: Map<string, MemoryPayment>
  readonly transactions: Map<string, MemoryTransaction>
  /** By owner; an owner without an entry is a named one. */
  readonly sponsorships: Map<string, Sponsoring>
  /** By owner and UTC day. */
  readonly ownerUse: Map<string, { readonly settlements: number; readonly revertedGas: bigint }>
  /** Payers whose payments burned gas: network, payer and UTC day. */
  readonly burners: Set<string>
  /** By network, payer and owner. */
  readonly payerFailures: Map<string, PairFailures>
  /** By network and relayer. */
  readonly leases: Map<
    string,
    { readonly holder: string; readonly fence: bigint; readonly expiresAtMs: number }
  >
}

/** How many payments of a payer to an owner failed in a row. */
export interface PairFailures {
  readonly network: string
  readonly payer: string
  readonly owner: string
  readonly failures: number
  readonly failedAt: number
  readonly barredUntil: number
}

/** Creates empty tables. */
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

/** Runs a synchronous step; rejects with the error that it throws, as a database would. */
export async function resolved<T>(step: () => T): Promise<T> {
  return await Promise.resolve(step())
}
