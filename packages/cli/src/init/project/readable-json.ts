/** A wider object or list is split over several lines. */
const MAX_COLUMNS = 100

/** Formats JSON for people: an object that fits on a line is put on one, except the outermost. */
export function readableJson(value: object): string {
  return `${spread(value, '')}\n`
}

function write(value: unknown, indent: string, before: number): string {
  const line = inline(value)
  const isWide = indent.length + before + line.length > MAX_COLUMNS
  return isWide && typeof value === 'object' && value !== null ? spread(value, indent) : line
}

function spread(value: object, indent: string): string {
  const inner = `${indent}  `
  if (Array.isArray(value))
    return `[\n${value.map(item => inner + write(item, inner, 0)).join(',\n')}\n${indent}]`
  const entries = Object.entries(value).map(([key, item]) => {
    const name = `${JSON.stringify(key)}: `
    return inner + name + write(item, inner, name.length)
  })
  return `{\n${entries.join(',\n')}\n${indent}}`
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
