import type { Checks } from './checks.ts'

/** One check, as it is sent to a thread. */
export interface CheckOrder {
  readonly kind: keyof Checks
  readonly given: unknown
}

/** What a thread answers. */
export type CheckReport =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: string }
