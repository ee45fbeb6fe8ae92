import type { PaymentGate } from 'farebox'
import { createFakeGate, type SettleFault, type VerifyFault } from 'farebox/testing'

/** What the gate was asked since it was last looked at, in the order in which it was asked. */
export interface GateEvent {
  readonly call: 'verify' | 'settle'
  readonly key: string
  readonly outcome: string
}

/** A gate that remembers every payment it was ever asked about, so that a charge can be judged afterwards. */
export interface RecordingGate extends PaymentGate {
  readonly events: GateEvent[]
  /** Keys of all payments it found good. */
  readonly verified: ReadonlySet<string>
  /** Keys of all payments it charged. */
  readonly charged: ReadonlyMap<string, string>
  failVerify(...faults: readonly VerifyFault[]): void
  failSettle(...faults: readonly SettleFault[]): void
}

/** Makes the gate; the listed payers have enough, nobody else has anything. */
export function createRecordingGate(funded: readonly string[]): RecordingGate {
  const gate = createFakeGate({ funded })
  const events: GateEvent[] = []
  const verified = new Set<string>()
  const charged = new Map<string, string>()
  return {
    events,
    verified,
    charged,
    async verify(payment, terms) {
      const outcome = await gate.verify(payment, terms)
      events.push({ call: 'verify', key: payment.key, outcome: outcome.kind })
      if (outcome.kind === 'valid') verified.add(payment.key)
      return outcome
    },
    async settle(payment) {
      const outcome = await gate.settle(payment)
      events.push({ call: 'settle', key: payment.key, outcome: outcome.kind })
      if (outcome.kind === 'settled') charged.set(payment.key, outcome.transaction)
      return outcome
    },
    findCharge: (payment, terms) => gate.findCharge(payment, terms),
    release: (hold, binding) => gate.release(hold, binding),
    clockAheadSeconds: () => gate.clockAheadSeconds(),
    failVerify: (...faults) => gate.failVerify(...faults),
    failSettle: (...faults) => gate.failSettle(...faults),
  }
}
