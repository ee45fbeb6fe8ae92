/** One line that a program of ours printed: JSON of an event, or text. */
interface LogEntry {
  readonly level: string
  readonly event: string
  readonly fields: readonly (readonly [string, unknown])[]
}

/**
 * The step that a program is at, as its own log says: "migrating the database". Undefined for a line that is no event of its
 * normal course.
 */
export function readActivity(line: string): string | undefined {
  const entry = readEntry(line)
  return entry?.level === 'info' ? entry.event : undefined
}

/** A line as a person reads it: an event in JSON becomes "error: the platform did not start: …", text stays. */
export function readableLine(line: string): string {
  const entry = readEntry(line)
  if (entry === undefined) return line
  const fields = entry.fields.map(([name, value]) =>
    name === 'error' ? `: ${String(value)}` : ` ${name}=${String(value)}`,
  )
  return `${entry.level === 'info' ? '' : `${entry.level}: `}${entry.event}${fields.join('')}`
}

function readEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const { time: _, level, event, ...fields } = JSON.parse(line) as { readonly [name: string]: unknown }
    if (typeof level !== 'string' || typeof event !== 'string') return undefined
    return { level, event, fields: Object.entries(fields) }
  } catch {
    return undefined
  }
}
