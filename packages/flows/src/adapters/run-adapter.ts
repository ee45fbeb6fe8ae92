import { isObject } from '@farebox/protocol/internal/guards/json'
import { startCheckBudget, type CheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import { coerce } from '@farebox/protocol/internal/fields/coerce'
import { describeValue } from '@farebox/protocol/internal/fields/describe-value'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { Field, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import type { AdapterStep } from '../document/flow.ts'
import { MAX_ADAPTER_CHARACTERS } from '../document/flow-limits.ts'
import { parseTemplate } from './template-text.ts'

/** The result of an adapter: a value, or a reason why its inputs do not fit. */
export type AdapterResult =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string }
  /** There was no value to pass on: the steps that depend on it are skipped. */
  | { readonly ok: 'skipped' }

/**
 * Runs one adapter. Pure; never throws. Its time and memory are limited by the size of its inputs, and its output by {@link
 * MAX_ADAPTER_CHARACTERS}.
 *
 * @param step an adapter without errors according to `checkFlow`
 * @param inputs the values of the inputs, by port; absent when a source gave none, or was skipped
 * @param budget for checking a picked value; default: a new one
 */
export function runAdapter(
  step: AdapterStep,
  inputs: ReadonlyMap<string, JsonValue>,
  budget: CheckBudget = startCheckBudget(),
): AdapterResult {
  switch (step.kind) {
    case 'constant':
      return give(step.value)
    case 'default': {
      const value = inputs.get('value')
      return give(value ?? step.value)
    }
    case 'first':
      for (let port = 1; port <= step.count; port += 1) {
        const value = inputs.get(String(port))
        if (value !== undefined) return give(value)
      }
      return { ok: 'skipped' }
    case 'rename': {
      const value = inputs.get('object')
      return isObject(value) ? give(rename(value, step.names)) : fail('object', 'an object', value)
    }
    case 'pick': {
      const value = inputs.get('value')
      return value === undefined ? fail('value', 'an object or an array', value) : pick(value, step, budget)
    }
    case 'template':
      return fillIn(step.text, inputs)
    case 'to-number': {
      const value = inputs.get('text')
      const number = coerce(value, 'number')
      return number === undefined
        ? fail('text', 'a text of a number such as "12"', value)
        : { ok: true, value: number }
    }
    case 'join': {
      const value = inputs.get('list')
      return Array.isArray(value) ? join(value, step.separator) : fail('list', 'an array', value)
    }
    case 'split': {
      const value = inputs.get('text')
      return typeof value === 'string' ? split(value, step) : fail('text', 'a string', value)
    }
  }
}

/** For values that were not newly created: they are no larger than the inputs. */
function give(value: JsonValue): AdapterResult {
  return { ok: true, value }
}

function rename(object: JsonObject, names: { readonly [name: string]: string }): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      Object.hasOwn(names, name) ? (names[name] ?? name) : name,
      value,
    ]),
  )
}

function pick(
  value: JsonValue,
  step: { readonly path: readonly (string | number)[]; readonly gives?: Field },
  budget: CheckBudget,
): AdapterResult {
  let found: JsonValue | undefined = value
  const walked: (string | number)[] = []
  for (const part of step.path) {
    walked.push(part)
    if (Array.isArray(found) && typeof part === 'number') found = found[part]
    else if (isObject(found) && typeof part === 'string')
      found = Object.hasOwn(found, part) ? found[part] : undefined
    else found = undefined
    if (found === undefined) return { ok: false, reason: `value: has nothing at ${walked.join('.')}` }
  }
  if (step.gives === undefined) return give(found)
  const checked = compileInput({ value: { ...step.gives, required: true } }, budget)({ value: found })
  if (!checked.ok) return { ok: false, reason: `${walked.join('.')}: ${checked.violation.reason}` }
  return give(checked.value['value'] ?? found)
}

function fillIn(text: string, inputs: ReadonlyMap<string, JsonValue>): AdapterResult {
  const parsed = parseTemplate(text)
  if (!parsed.ok) return { ok: false, reason: `template: ${parsed.reason}` }
  const pieces: string[] = []
  let length = 0
  for (const part of parsed.parts) {
    const value = 'text' in part ? part.text : coerce(inputs.get(part.name), 'string')
    if (typeof value !== 'string')
      return fail(
        'name' in part ? part.name : 'text',
        'a string, a number or a boolean',
        inputs.get('name' in part ? part.name : ''),
      )
    length += value.length
    if (length > MAX_ADAPTER_CHARACTERS) return tooLarge()
    pieces.push(value)
  }
  return { ok: true, value: pieces.join('') }
}

function join(list: readonly JsonValue[], separator: string): AdapterResult {
  const texts: string[] = []
  let length = 0
  for (const [index, item] of list.entries()) {
    const text = coerce(item, 'string')
    if (typeof text !== 'string') return fail(`list[${index}]`, 'a string, a number or a boolean', item)
    length += text.length + separator.length
    if (length > MAX_ADAPTER_CHARACTERS) return tooLarge()
    texts.push(text)
  }
  return { ok: true, value: texts.join(separator) }
}

function split(
  text: string,
  { separator, most }: { readonly separator: string; readonly most: number },
): AdapterResult {
  // One item more than allowed is enough to detect too many.
  const items = text.split(separator, most + 1)
  return items.length > most
    ? { ok: false, reason: `text: gives more than ${most} items` }
    : { ok: true, value: items }
}

function fail(port: string, expected: string, value: JsonValue | undefined): AdapterResult {
  return {
    ok: false,
    reason: `${port}: must be ${expected}, got ${value === undefined ? 'nothing' : describeValue(value)}`,
  }
}

function tooLarge(): AdapterResult {
  return { ok: false, reason: `makes more than ${MAX_ADAPTER_CHARACTERS} characters` }
}
