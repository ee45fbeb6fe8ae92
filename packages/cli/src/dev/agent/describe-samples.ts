import { printable } from '@farebox/conformance/internal/printable'
import { basename, extname } from 'node:path'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { sample } from '@farebox/protocol/samples/sample'
import { cut, type ScreenPaint } from '../../terminal/text.ts'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Handler } from 'farebox'

export interface DescribeSamplesOptions {
  /** Capabilities without a handler. */
  readonly sampled: readonly string[]
  /** The file of handlers; `undefined` when there is none. */
  readonly handlers: string | undefined
  /** The name of the file of types beside the config: `agent.d.ts`. */
  readonly types: string
  readonly columns: number
  readonly paint: ScreenPaint
}

/**
 * Says that responses are generated samples, and which code to write in which file to replace them. Empty when every
 * capability has its handler.
 */
export function describeSamples(
  declaration: Declaration,
  options: DescribeSamplesOptions,
): readonly string[] {
  const { sampled, handlers, columns, paint } = options
  if (sampled.length === 0) return []
  const [says, then, ...code] =
    handlers === undefined
      ? forNoFile(declaration, options)
      : forSome(declaration, options, basename(handlers))
  return [
    paint.yellow(paint.bold(`! ${says ?? ''}`)),
    `  ${then ?? ''}`,
    '',
    ...code.map(line => paint.dim(cut(`    ${line}`, columns))),
  ]
}

function forNoFile(declaration: Declaration, { types }: DescribeSamplesOptions): readonly string[] {
  return [
    'SAMPLES: there are no handlers yet, every answer is made up from the output schema',
    'write handlers.ts beside the config; it takes over as soon as it is saved:',
    `import type { Handlers } from './${types}'`,
    'export default {',
    ...entries(declaration, Object.keys(declaration.capabilities)),
    '} satisfies Handlers',
  ]
}

function forSome(
  declaration: Declaration,
  { sampled }: DescribeSamplesOptions,
  file: string,
): readonly string[] {
  const names = sampled.map(printable).join(', ')
  const [have, answer] = sampled.length === 1 ? ['has', 'its answers are'] : ['have', 'their answers are']
  return [
    `SAMPLES: ${names} ${have} no handler in ${file}, ${answer} made up from the output schema`,
    `add to the default export of ${file}:`,
    ...entries(declaration, sampled),
  ]
}

/** Enough entries to show the pattern. */
const MAX_ENTRIES = 5

function entries(declaration: Declaration, names: readonly string[]): readonly string[] {
  const shown = names.slice(0, MAX_ENTRIES).flatMap(name => {
    const capability = declaration.capabilities[name]
    return capability === undefined ? [] : [`  ${propertyName(name)}: ${functionText(capability)},`]
  })
  return names.length > MAX_ENTRIES ? [...shown, '  // …'] : shown
}

function functionText({ input_schema: input, output_schema: output }: Capability): string {
  const names = Object.keys(input)
  const parameters = names.every(isIdentifier)
    ? names.length === 0
      ? '()'
      : `({ ${names.join(', ')} })`
    : 'input'
  const made = sample(output, 'output')
  const value = made.ok ? objectText(made.value) : `{ /* ${made.violation.field} … */ }`
  return `${parameters} => (${printable(value)})`
}

/** Formats an object as code: `{ words: 1, "odd name": [] }`. */
function objectText(value: { readonly [name: string]: unknown }): string {
  const parts = Object.entries(value).map(([name, one]) => `${propertyName(name)}: ${JSON.stringify(one)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function propertyName(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name)
}

function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
}

/** Returns the name of the types file: `agent.json` → `agent.d.ts`. */
export function typesFileName(config: string): string {
  return `${basename(config, extname(config))}.d.ts`
}

/** Handlers for every capability, with the names of those that are generated. */
interface FilledHandlers {
  readonly handlers: unknown
  /** Capabilities that respond with samples. */
  readonly sampled: readonly string[]
}

/**
 * Gives every declared capability without a handler one that returns a sample of its output schema. Given handlers are not
 * changed, even when they are invalid: the runtime reports what is wrong with them.
 *
 * @param given the exports of the file; `undefined` when there is no file
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

/**
 * Returns a handler with a constant response, which throws an `InternalError` naming the field for which no sample can be
 * generated.
 */
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
