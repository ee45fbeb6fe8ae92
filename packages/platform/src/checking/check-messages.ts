import type { Checks } from './checks.ts'

/** A check as it is sent to a worker thread. */
export interface CheckOrder {
  readonly kind: keyof Checks
  readonly given: unknown
}

/** A worker thread's reply. */
export type CheckReport =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: string }
