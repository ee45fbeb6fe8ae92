import type { JsonValue } from '../fields/field.ts'

/**
 * JSON on one line, spaced as people write it: `{ "type": "string" }`. If it exceeds `characters`, the deepest parts are
 * replaced by `…`, level by level: `{ "count": { … } }`. Only for trusted values: it serializes the whole value.
 */
export function inlineJson(value: JsonValue, characters: number): string {
  let text = write(value, MAX_LEVELS)
  for (let levels = MAX_LEVELS; levels >= 0 && text.length > characters; levels -= 1)
    text = write(value, levels)
  return text
}

/** A text, number or boolean as JSON if it is short enough for a message, otherwise undefined. */
export function shortJson(value: JsonValue): string | undefined {
  if (typeof value === 'object' || (typeof value === 'string' && value.length > MAX_SHORT_CHARACTERS))
    return undefined
  return JSON.stringify(value)
}

const MAX_LEVELS = 16
const MAX_SHORT_CHARACTERS = 60

function write(value: JsonValue, levels: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return levels === 0 ? '[…]' : `[${value.map(item => write(item, levels - 1)).join(', ')}]`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  if (levels === 0) return '{ … }'
  return `{ ${entries.map(([key, item]) => `${JSON.stringify(key)}: ${write(item, levels - 1)}`).join(', ')} }`
}
