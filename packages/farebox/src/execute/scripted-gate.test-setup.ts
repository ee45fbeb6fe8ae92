import { toHex } from '@farebox/payments/bytes'
import type { SettleOutcome, VerifyOutcome } from '@farebox/payments/facilitator-client'
import type { PaymentGate } from '../payment-gate/payment-gate.ts'

/** A gate that answers what the test scripted, and remembers what it was asked. */
export interface ScriptedGate extends PaymentGate {
  /** One answer each; when they are used up, every payment is good. */
  readonly verifies: VerifyOutcome[]
  /** One answer each; when they are used up, every payment is charged. */
  readonly settles: SettleOutcome[]
  /** Keys of the payments charged. */
  readonly charged: Set<string>
}

/** Makes the gate; it charges each payment once, whatever it is asked. */
export function createScriptedGate(): ScriptedGate {
  const gate: ScriptedGate = {
    verifies: [],
    settles: [],
    charged: new Set(),
    verify: () =>
      Promise.resolve(gate.verifies.shift() ?? { kind: 'valid', hold: { holdId: 'hold', holdUntil: 4e9 } }),
    settle({ key }) {
      const outcome = gate.settles.shift() ?? { kind: 'settled', transaction: transactionOf(key) }
      if (outcome.kind === 'settled') gate.charged.add(key)
      return Promise.resolve(outcome)
    },
    release: () => Promise.resolve(),
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

/** One transaction for each payment. */
export function transactionOf(key: string): string {
  return toHex(new TextEncoder().encode(key.slice(-32)))
}
