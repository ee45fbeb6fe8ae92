import type { PaymentRecord } from '../payment-record.ts'
import type { SignedSettlement } from '../settlement-ledger.ts'

/** A row of payments, with what the ports do not show. */
export interface MemoryPayment extends PaymentRecord {
  readonly transactionId: string | undefined
  /** Order of capture. */
  readonly capturedAt: number
}

/** A signed transaction. */
export interface MemoryTransaction extends SignedSettlement {
  readonly id: string
  readonly network: string
  readonly relayer: string
  readonly nonce: number
  readonly hashes: readonly string[]
  readonly state: 'open' | 'mined' | 'dropped'
}

/** The tables of the twin; rows are replaced, never changed. */
export interface MemoryTables {
  readonly payments: Map<string, MemoryPayment>
  readonly transactions: Map<string, MemoryTransaction>
  /** By secret and UTC day. */
  readonly settlementCounts: Map<string, number>
  /** By network and payer. */
  readonly payerFailures: Map<string, { readonly failures: number; readonly barredUntil: number }>
  /** By network and relayer. */
  readonly leases: Map<
    string,
    { readonly holder: string; readonly fence: bigint; readonly expiresAtMs: number }
  >
}

/** Empty tables. */
export function createMemoryTables(): MemoryTables {
  return {
    payments: new Map(),
    transactions: new Map(),
    settlementCounts: new Map(),
    payerFailures: new Map(),
    leases: new Map(),
  }
}

/** The UTC day of a time in Unix seconds. */
export function utcDay(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}
