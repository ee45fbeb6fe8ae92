const MAX_SMALL_VALUES = 1_000
const MAX_SMALL_CHARACTERS = 16_384

/**
 * Whether a JSON value has at most 1,000 values and 16,384 characters. It stops reading at these limits; only the keys of
 * one object are listed completely.
 *
 * @example
 * ```ts
 * import { isSmall } from '@farebox/platform/small-json'
 *
 * isSmall({ text: 'two words' }) // true
 * isSmall('x'.repeat(20_000)) // false
 * ```
 */
export function isSmall(json: unknown): boolean {
  let values = 0
  let characters = 0
  const left = [json]
  while (left.length > 0) {
    const value = left.pop()
    values += 1
    if (typeof value === 'string') characters += value.length
    else if (Array.isArray(value)) {
      if (value.length > MAX_SMALL_VALUES) return false
      for (const item of value) left.push(item)
    } else if (typeof value === 'object' && value !== null) {
      // `Object.keys` is three times faster than `Object.entries` for a large object, so the size is checked first.
      if (Object.keys(value).length > MAX_SMALL_VALUES) return false
      for (const [name, item] of Object.entries(value)) {
        characters += name.length
        left.push(item)
      }
    }
    if (values + left.length > MAX_SMALL_VALUES || characters > MAX_SMALL_CHARACTERS) return false
  }
  return true
}
