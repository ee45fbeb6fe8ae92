import type { JsonValue } from '@farebox/protocol/fields/field'
import { cutText } from '../../format/cut-text.ts'
import { formatCount } from '../../format/share.ts'

/** Describes a value in a few words: `“The council met on Tues…”, 4,182 characters`, `702`, `[3] “one”, “two”, …`. */
export function describeValue(value: JsonValue, most = 60): string {
  if (typeof value === 'string') return describeText(value, most)
  if (value === null) return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty list'
    const count = `${formatCount(value.length)} ${value.length === 1 ? 'item' : 'items'}`
    return `${count}: ${listParts(value.slice(0, MOST_PARTS).map(describeInside), most)}`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return 'an empty object'
  return listParts(
    entries.slice(0, MOST_PARTS).map(([name, one]) => `${cutText(name, 40)} ${describeInside(one)}`),
    most,
  )
}

/** Describes a value inside another one: shorter, and without its length. */
function describeInside(value: JsonValue): string {
  if (typeof value === 'string') return describeText(value, INSIDE).replace(/, [\d,]+ characters$/, '')
  if (typeof value !== 'object' || value === null) return describeValue(value)
  if (Array.isArray(value)) return `a list of ${formatCount(value.length)}`
  const entries = Object.entries(value)
  const isFlat = entries.length > 0 && entries.every(([, one]) => typeof one !== 'object' || one === null)
  if (!isFlat) return 'an object'
  return `{${listParts(
    entries.slice(0, MOST_PARTS).map(([name, one]) => `${cutText(name, INSIDE)} ${describeInside(one)}`),
    INSIDE,
  )}}`
}

/** Joins as many whole parts as fit, and at least one. */
function listParts(parts: readonly string[], most: number): string {
  let shown = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    if (shown.length + part.length > most) return `${shown}, …`
    shown += `, ${part}`
  }
  return shown
}

const INSIDE = 24
/** The most parts that are ever shown. */
const MOST_PARTS = 100

function describeText(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const isCut = line.length > most || text.length > 4 * most
  if (!isCut) return `“${line}”`
  return `“${cutText(line, most)}…”, ${formatCount(Array.from(text).length)} characters`
}
