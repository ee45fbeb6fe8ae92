/** The events of a history in order, for a person who investigates a violation. */
export type Trace = ReturnType<typeof createTrace>

/** Records everything; records nothing if it is not read. */
export function createTrace(nowMs: () => number, isRead: boolean) {
  const startMs = nowMs()
  const lines: string[] = []
  /** One event: the source and its description. The text is built only if it is read. */
  const note = (who: string, what: () => string): void => {
    if (!isRead) return
    const seconds = ((nowMs() - startMs) / 1_000).toFixed(3).padStart(8)
    lines.push(`${seconds}  ${who.padEnd(16)} ${what()}`)
  }
  return {
    note,
    lines,
    /** The log of a process, of an agent or a facilitator. */
    logOf(who: string) {
      const log = (event: string, fields?: object): void =>
        note(who, () => `log: ${event} ${JSON.stringify(fields, asText)}`)
      return {
        job: (event: string, jobId: string, fields?: object) => log(event, { job: jobId, ...fields }),
        note: log,
        info: log,
        warn: log,
        error: log,
        flush: () => undefined,
      }
    },
  }
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' || value instanceof Error ? String(value) : value
}
