import type { JsonValue } from '../fields/field.ts'

/**
 * JSON on one line, spaced as people write it: `{ "type": "string" }`. Where that takes more than `characters`,
 * what lies deepest becomes `…`, level by level: `{ "count": { … } }`. For values of our own: it writes them whole.
 */
export function inlineJson(value: JsonValue, characters: number): string {
  let text = write(value, MAX_LEVELS)
  for (let levels = MAX_LEVELS; levels >= 0 && text.length > characters; levels -= 1)
    text = write(value, levels)
  return text
}

/** A text, number or boolean as JSON where that is short enough to be repeated in a message, else undefined. */
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
