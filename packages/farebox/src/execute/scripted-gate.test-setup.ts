import { toHex } from '@farebox/payments/src/crypto/bytes'
import type { SettleOutcome } from '@farebox/payments/x402/facilitator-client'
import type { ChargeOutcome, PaymentGate, Verdict } from '../payment-gate/payment-gate.ts'

/** A gate that returns the results set by the test, and records the charged payments. */
export interface ScriptedGate extends PaymentGate {
  /** Results of `verify`, one each; when they are used up, every payment is valid. */
  readonly verifies: Verdict[]
  /** Results of `settle`, one each; when they are used up, every payment is charged. */
  readonly settles: SettleOutcome[]
  /** Results of `findCharge`, one each; when they are used up, no payment was charged before. */
  readonly inquiries: ChargeOutcome[]
  /** Keys of the charged payments. */
  readonly charged: Set<string>
  /** The seconds by which the agent's clock is ahead of the facilitator's. */
  aheadSeconds: number
}

/** Makes the gate; it charges each payment at most once. */
export function createScriptedGate(): ScriptedGate {
  const gate: ScriptedGate = {
    verifies: [],
    settles: [],
    inquiries: [],
    charged: new Set(),
    verify: () =>
      Promise.resolve(gate.verifies.shift() ?? { kind: 'valid', hold: { holdId: 'hold', holdUntil: 4e9 } }),
    findCharge: () => Promise.resolve(gate.inquiries.shift() ?? { kind: 'none' }),
    settle({ key }) {
      const outcome = gate.settles.shift() ?? { kind: 'settled', transaction: transactionOf(key) }
      if (outcome.kind === 'settled') gate.charged.add(key)
      return Promise.resolve(outcome)
    },
    release: () => Promise.resolve(),
    aheadSeconds: 0,
    clockAheadSeconds: () => gate.aheadSeconds,
  }
  return gate
}

export const UNKNOWN: SettleOutcome = { kind: 'unknown', cause: 'scripted' }
export const FAILED: SettleOutcome = {
  kind: 'failed',
  reason: 'insufficient_funds',
  message: '',
  transaction: '',
}

/** A transaction hash derived from the payment's key. */
export function transactionOf(key: string): string {
  return toHex(new TextEncoder().encode(key.slice(-32)))
}
