/** What happened, in order, for a person who wants to see how a history went wrong. */
export interface Trace {
  /** One event: by whom, and what. The words are made only where somebody reads them. */
  note(who: string, what: () => string): void
  lines(): readonly string[]
}

/** Writes everything down. */
export function createTrace(nowMs: () => number, startMs: number): Trace {
  const lines: string[] = []
  return {
    note(who, what) {
      const seconds = ((nowMs() - startMs) / 1_000).toFixed(3).padStart(8)
      lines.push(`${seconds}  ${who.padEnd(16)} ${what()}`)
    },
    lines: () => lines,
  }
}

/** Writes nothing down. */
export const silentTrace: Trace = { note: () => undefined, lines: () => [] }
