import type { HttpLine } from './http-line.ts'

/** Connections kept for the next call to the same origin. */
export interface IdleLines {
  /** Removes and returns the newest open connection to this origin; undefined when there is none. */
  take(origin: string): HttpLine | undefined
  /** Keeps a connection, or closes it when too many are kept. */
  keep(line: HttpLine): void
  closeAll(): void
}

/** Keeps at most `maxOrigins` times `maxPerOrigin` connections; the origin used longest ago is removed first. */
export function createIdleLines(maxOrigins: number, maxPerOrigin: number): IdleLines {
  const kept = new Map<string, HttpLine[]>()
  let closed = false

  const forget = (line: HttpLine): void => {
    const lines = kept.get(line.origin)?.filter(other => other !== line) ?? []
    if (lines.length === 0) kept.delete(line.origin)
    else kept.set(line.origin, lines)
  }

  const closeOldest = (): void => {
    const [oldest] = kept.keys()
    if (oldest === undefined) return
    const lines = kept.get(oldest) ?? []
    kept.delete(oldest)
    for (const line of lines) line.close()
  }

  return {
    take(origin) {
      const line = kept.get(origin)?.findLast(candidate => candidate.isOpen())
      if (line !== undefined) forget(line)
      return line
    },
    keep(line) {
      const lines = kept.get(line.origin) ?? []
      if (closed || !line.isOpen() || lines.length >= maxPerOrigin) {
        line.close()
        return
      }
      line.tellWhenClosed(() => forget(line))
      kept.delete(line.origin)
      kept.set(line.origin, [...lines, line])
      if (kept.size > maxOrigins) closeOldest()
    },
    closeAll() {
      closed = true
      while (kept.size > 0) closeOldest()
    },
  }
}
