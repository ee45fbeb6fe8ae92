import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field } from '@farebox/protocol/fields/field'
import { docComment } from './doc-comment.ts'
import { nameTypes } from './name-types.ts'
import { MAX_COLUMNS, propertyName, stringLiteral } from './source-text.ts'
import { typeOfFields } from './type-of-fields.ts'

/** How every file begins that is written here; one without it is somebody's own. */
export const TYPES_MARK = '// Written by farebox types'

const HEADER = `${TYPES_MARK} from agent.json; farebox dev keeps it fresh. Do not edit.`

/**
 * The text of `agent.d.ts`: for each capability what its handler gets (checked, coerced, defaults filled in) and
 * must return, as `<Name>Input` and `<Name>Output`, and all of the handlers as `Handlers`; where there is one
 * capability, its function as `Handler` too. The same declaration always gives the same text.
 *
 * The types are those of `InferInput` and `InferOutput`. They are aliases, because an interface is no
 * `JsonObject`, and handlers are properties, because parameters of methods are compared loosely.
 *
 * @param declaration checked; its texts and names may be a stranger's: none of them can end up as code
 * @example
 * // handlers.ts
 * import type { Handlers } from './agent.d.ts'
 * export default { count: ({ text }) => ({ words: text.split(/\s+/).length }) } satisfies Handlers
 */
export function typesOf(declaration: Declaration): string {
  const names = Object.keys(declaration.capabilities)
  const typeNames = nameTypes(names)
  const capabilities = Object.entries(declaration.capabilities).map(([name, capability]) => ({
    name,
    typeName: typeNames.get(name) ?? '',
    capability,
  }))
  const types = [...capabilities.flatMap(capabilityTypes), handlersType(capabilities)]
  const [only, second] = names
  if (only !== undefined && second === undefined) types.push(handlerType(only))
  return `${[HEADER, importLine(capabilities), ...types].join('\n\n')}\n`
}

interface NamedCapability {
  readonly name: string
  /** `Count`, of which the types are `CountInput` and `CountOutput`. */
  readonly typeName: string
  readonly capability: Capability
}

function capabilityTypes({ typeName, capability }: NamedCapability): readonly string[] {
  return [
    `export type ${typeName}Input = ${typeOfFields(capability.input_schema, 'input')}`,
    `export type ${typeName}Output = ${typeOfFields(capability.output_schema, 'output')}`,
  ]
}

function handlersType(capabilities: readonly NamedCapability[]): string {
  const handlers = capabilities.map(({ name, typeName, capability }) => {
    const price = `${capability.pricing.amount} ${capability.pricing.currency} a job`
    const input = `input: ${typeName}Input, context: JobContext`
    const output = `${typeName}Output | Promise<${typeName}Output>`
    const doc = docComment([capability.description, price], '  ')
    const line = `  ${propertyName(name)}: (${input}) => ${output}`
    if (line.length <= MAX_COLUMNS) return doc + line
    return `${doc}  ${propertyName(name)}: (\n    ${input.replace(', ', ',\n    ')},\n  ) => ${output}`
  })
  return `export type Handlers = {\n${handlers.join('\n')}\n}`
}

function handlerType(only: string): string {
  const doc = docComment(['For a default export that is just the function'], '')
  return `${doc}export type Handler = Handlers[${stringLiteral(only)}]`
}

/** Only what is used: an unused import is a warning in many an editor. */
function importLine(capabilities: readonly NamedCapability[]): string {
  const schemas = capabilities.flatMap(({ capability }) => [
    capability.input_schema,
    capability.output_schema,
  ])
  const fields = schemas.flatMap(schema => Object.values(schema)).flatMap(withInner)
  const open = fields.filter(field => field.enum === undefined)
  const names = [
    'JobContext',
    ...(open.some(({ type, properties }) => type === 'object' && properties === undefined)
      ? ['JsonObject']
      : []),
    ...(open.some(({ type, items }) => type === 'array' && items === undefined) ? ['JsonValue'] : []),
  ]
  return `import type { ${names.join(', ')} } from 'farebox'`
}

/** The field and those in it, as far as its type shows them. */
function withInner(field: Field): readonly Field[] {
  if (field.enum !== undefined) return [field]
  const inner = field.type === 'array' ? [field.items] : Object.values(field.properties ?? {})
  return [field, ...inner.filter(one => one !== undefined).flatMap(withInner)]
}
