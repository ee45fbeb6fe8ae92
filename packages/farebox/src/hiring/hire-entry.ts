import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { ErrorType } from '@farebox/protocol/errors/error-types'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Hired } from '../handlers.ts'

/**
 * The stored state of a hire in its job's account. `reserved`: its price is counted, and no signed payment has left
 * this process; an amount of zero means that it was given back. `ordered`: a payment was signed and may have been sent.
 * `failed`: the agent reported a failure; the payment could still be used. `done`: the hire was paid or free, and its
 * output is stored.
 */
export type HireEntry =
  | (AnyEntry & { readonly state: 'reserved' })
  | (AnyEntry & { readonly state: 'ordered'; readonly order: ChildOrder })
  | (AnyEntry & {
      readonly state: 'failed'
      readonly order: ChildOrder
      readonly errorType: ErrorType
      readonly message: string
    })
  | (AnyEntry & {
      readonly state: 'done'
      readonly hired: Omit<Hired, 'resumed'>
      /** Why the output cannot be used; undefined when it can. */
      readonly problem: string | undefined
    })

interface AnyEntry {
  readonly version: 1
  /** Hash of agent, capability and input. */
  readonly digest: string
  /** The counted amount in atomic units, decimal. */
  readonly amount: string
  /** The UTC day whose sums include the amount, `2030-01-31`. */
  readonly day: string
  /** Whether the amount counts towards the limit shared by payers without a history. */
  readonly isNew: boolean
}

/** The complete request, so that a process that takes the job over sends the same bytes again. */
export interface ChildOrder {
  readonly entry: JournalEntry
  readonly headers: { readonly [name: string]: string }
  /** The declaration that the output is checked against; undefined when it was too large to store. */
  readonly declaration: Declaration | undefined
  /** Unix seconds, as requested. */
  readonly deadline: number
}

/** The most that a hire's output may have, as JSON. */
const MAX_OUTPUT_BYTES = 262_144
const MAX_KEPT_DECLARATION_CHARACTERS = 65_536

/** The part of a declaration that one capability needs; undefined when it is too large to store. */
export function keptDeclaration(declaration: Declaration, capability: string): Declaration | undefined {
  const only = declaration.capabilities[capability]
  if (only === undefined) return undefined
  const kept = { ...declaration, capabilities: { [capability]: only } }
  return JSON.stringify(kept).length <= MAX_KEPT_DECLARATION_CHARACTERS ? kept : undefined
}

/** Reads an entry. Throws when a later release wrote it. */
export function readHireEntry(text: string): HireEntry {
  // Only this folder's modules write these entries.
  const entry = JSON.parse(text) as HireEntry
  if (entry.version !== 1) throw new Error('SERVICE_STORE holds a hire that this release cannot read')
  return entry
}

/** The output to store, or the reason why it cannot be used. */
export function judgeOutput(
  output: JsonObject,
  violation: { readonly field: string; readonly reason: string } | undefined,
): { readonly output: JsonObject; readonly problem: string | undefined } {
  if (violation !== undefined) return { output: {}, problem: `${violation.field} ${violation.reason}` }
  const bytes = Buffer.byteLength(JSON.stringify(output))
  if (bytes <= MAX_OUTPUT_BYTES) return { output, problem: undefined }
  return { output: {}, problem: `must be at most ${MAX_OUTPUT_BYTES} bytes of JSON, got ${bytes}` }
}
