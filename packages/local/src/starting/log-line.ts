/** One line that a program of this project printed: JSON of an event, or text. */
interface LogEntry {
  readonly level: string
  readonly event: string
  readonly fields: readonly (readonly [string, unknown])[]
}

/**
 * Reads a program's current step from one of its log lines: "migrating the database". Returns `undefined` for a line that is
 * not an event of a normal start.
 */
export function readActivity(line: string): string | undefined {
  const entry = readEntry(line)
  return entry?.level === 'info' ? entry.event : undefined
}

/** Formats a line for people: an event in JSON becomes "error: the platform did not start: …", text is unchanged. */
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
