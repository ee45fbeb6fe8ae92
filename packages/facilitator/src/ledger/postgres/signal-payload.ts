import { dropsOthers, type Conclusion } from '../settlement-ledger.ts'
import { shortKey, type Signal } from '../signals.ts'

/** A payload of NOTIFY has 8,000 bytes at most. */
const MOST_NAMED = 500

/** A signal as it is sent; `self` names the process that sends it. */
export function writeSignal(self: string, signal: Signal): string {
  const names = signal.kind === 'concluded' ? (signal.payments ?? []) : []
  return [self, signal.kind, ...(names.length > MOST_NAMED ? [] : names)].join(' ')
}

/** The signal of payments that are about to be decided. */
export function concludedSignal(conclusions: readonly Conclusion[]): Signal {
  // Only the ledger knows which payments fail with their payer.
  if (conclusions.some(dropsOthers)) return { kind: 'concluded', payments: undefined }
  return { kind: 'concluded', payments: conclusions.map(({ key }) => shortKey(key)) }
}

/** Undefined for what is none, and for one's own. */
export function readSignal(self: string, payload: string): Signal | undefined {
  const [sender, kind, ...names] = payload.split(' ')
  if (sender === self) return undefined
  if (kind === 'captured') return { kind }
  return kind === 'concluded' ? { kind, payments: names.length > 0 ? names : undefined } : undefined
}
