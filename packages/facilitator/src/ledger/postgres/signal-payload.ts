import { dropsOthers, type Conclusion } from '../settlement-ledger.ts'
import { shortKey, type Signal } from '../signals.ts'

/** The most payments named in one signal: a NOTIFY payload has at most 8,000 bytes. */
const MOST_NAMED = 500

/** Serializes a signal; `self` names the sending process. */
export function writeSignal(self: string, signal: Signal): string {
  const names = signal.kind === 'concluded' ? (signal.payments ?? []) : []
  return [self, signal.kind, ...(names.length > MOST_NAMED ? [] : names)].join(' ')
}

/** The signal of payments that are about to be decided. */
export function concludedSignal(conclusions: readonly Conclusion[]): Signal {
  // Only the ledger knows which payments fail together with their payer.
  if (conclusions.some(dropsOthers)) return { kind: 'concluded', payments: undefined }
  return { kind: 'concluded', payments: conclusions.map(({ key }) => shortKey(key)) }
}

/** Parses a signal; undefined for anything else, and for a signal that this process sent. */
export function readSignal(self: string, payload: string): Signal | undefined {
  const [sender, kind, ...names] = payload.split(' ')
  if (sender === self) return undefined
  if (kind === 'captured') return { kind }
  return kind === 'concluded' ? { kind, payments: names.length > 0 ? names : undefined } : undefined
}
