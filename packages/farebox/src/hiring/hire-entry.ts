import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { ErrorType } from '@farebox/protocol/errors/error-types'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Hired } from '../handlers.ts'

/**
 * What is kept of a hire in its job's account. `reserved`: its price counts, nothing is signed that anybody else has;
 * with an amount of zero it was given back. `ordered`: a payment was signed and may have been sent. `failed`: the agent
 * says so; the payment could still be used. `done`: it was paid, or was free, and what it delivered.
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
      /** Undefined where the output can be used. */
      readonly problem: string | undefined
    })

interface AnyEntry {
  readonly version: 1
  /** Of agent, capability and input. */
  readonly digest: string
  /** Atomic units that count, decimal. */
  readonly amount: string
  /** The UTC day in which they count, `2030-01-31`. */
  readonly day: string
  /** They count towards what payers without a history may lose together. */
  readonly isNew: boolean
}

/** All that is sent, and sent again by the process that takes the job over: the same bytes. */
export interface ChildOrder {
  readonly entry: JournalEntry
  readonly headers: { readonly [name: string]: string }
  /** What the output is held to; undefined where it was too large to be kept. */
  readonly declaration: Declaration | undefined
  /** Unix seconds, as ordered. */
  readonly deadline: number
}

/** Of what a hire delivers, as JSON. */
const MAX_OUTPUT_BYTES = 262_144
const MAX_KEPT_DECLARATION_CHARACTERS = 65_536

/** Of a declaration what is needed of one capability. */
export function keptDeclaration(declaration: Declaration, capability: string): Declaration | undefined {
  const only = declaration.capabilities[capability]
  if (only === undefined) return undefined
  const kept = { ...declaration, capabilities: { [capability]: only } }
  return JSON.stringify(kept).length <= MAX_KEPT_DECLARATION_CHARACTERS ? kept : undefined
}

/** Reads an entry. Throws where a later release wrote it. */
export function readHireEntry(text: string): HireEntry {
  // Only this room writes these entries.
  const entry = JSON.parse(text) as HireEntry
  if (entry.version !== 1) throw new Error('SERVICE_STORE holds a hire that this release cannot read')
  return entry
}

/** The output as it is kept: why it cannot be used, where it cannot. */
export function judgeOutput(
  output: JsonObject,
  violation: { readonly field: string; readonly reason: string } | undefined,
): { readonly output: JsonObject; readonly problem: string | undefined } {
  if (violation !== undefined) return { output: {}, problem: `${violation.field} ${violation.reason}` }
  const bytes = Buffer.byteLength(JSON.stringify(output))
  if (bytes <= MAX_OUTPUT_BYTES) return { output, problem: undefined }
  return { output: {}, problem: `must be at most ${MAX_OUTPUT_BYTES} bytes of JSON, got ${bytes}` }
}
