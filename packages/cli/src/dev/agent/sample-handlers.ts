import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'
import type { Handler } from 'farebox'

/** Handlers for every capability, and which of them are made up. */
export interface FilledHandlers {
  readonly handlers: unknown
  /** Capabilities that are answered with samples. */
  readonly sampled: readonly string[]
}

/**
 * Gives every declared capability that has no handler one that answers with a sample of its output schema. What is
 * given is left as it is, right or wrong: the runtime says what is wrong with it.
 *
 * @param given what the file exports; undefined where there is no file
 */
export function fillWithSamples(declaration: Declaration, given: unknown): FilledHandlers {
  if (given !== undefined && (typeof given !== 'object' || given === null))
    return { handlers: given, sampled: [] }
  const own: { readonly [name: string]: unknown } = { ...given }
  const missing = Object.entries(declaration.capabilities).filter(([name]) => own[name] === undefined)
  const samples = missing.map(([name, capability]) => [name, sampleHandler(name, capability)] as const)
  return {
    handlers: { ...own, ...Object.fromEntries(samples) },
    sampled: missing.map(([name]) => name),
  }
}

/** Always the same answer; throws an `InternalError` that names the field for which none can be made up. */
function sampleHandler(name: string, { output_schema: fields }: Capability): Handler {
  const made = sample(fields, 'output')
  return (_input, context): JsonObject => {
    if (!made.ok) {
      const { field, reason } = made.violation
      throw new InternalError(`no sample of ${name}: ${field}: ${reason}`)
    }
    context.log(`sample answer: ${name} has no handler yet`)
    return structuredClone(made.value)
  }
}
