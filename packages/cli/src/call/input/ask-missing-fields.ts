import { printable } from '@farebox/conformance/internal/printable'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { setOwn } from '@farebox/protocol/internal/fields/plain-json'
import { CommandError, usageError } from '../../command-error.ts'
import type { World } from '../../world.ts'
import { readFieldText } from './field-flags.ts'

/** Asks for the missing required fields of an input one by one. Each answer is validated as the agent will validate it. */
export async function askMissingFields(
  world: World,
  input: JsonObject,
  fields: FieldMap,
): Promise<JsonObject> {
  const missing = Object.entries(fields).filter(
    ([name, { required }]) => required === true && !Object.hasOwn(input, name),
  )
  if (missing.length === 0) return input
  if (!world.canAsk) {
    const flags = missing.map(([name]) => `--${printable(name)}`)
    const list = flags.length === 1 ? flags.join() : `${flags.slice(0, -1).join(', ')} and ${flags.at(-1)}`
    throw usageError(
      `${list} ${flags.length === 1 ? 'is' : 'are'} required`,
      'the same with --help tells more',
    )
  }
  const complete = { ...input }
  for (const [name, field] of missing) setOwn(complete, name, await askField(world, name, field))
  return complete
}

async function askField(world: World, name: string, field: Field): Promise<JsonValue> {
  const target = { flag: `--${printable(name)}`, path: [name], field }
  const { description = '', enum: values, type } = field
  const question = `${name} (${type})`
  if (type === 'boolean') return await world.ask.confirm(`${name}? ${description}`.trimEnd())
  if (values !== undefined && values.every(value => typeof value === 'string')) {
    return await world.ask.choose(
      description === '' ? question : `${question}: ${description}`,
      values.map(value => ({ value, label: value })),
    )
  }
  const check = compileInput({ [name]: field })
  const refuse = (answer: string): string | undefined => {
    try {
      const checked = check({ [name]: readFieldText(target, answer) })
      return checked.ok ? undefined : checked.violation.reason
    } catch (error) {
      if (error instanceof CommandError) return error.message
      throw error
    }
  }
  return readFieldText(target, await world.ask.text(question, { placeholder: description, refuse }))
}
