import type { HttpLine } from './http-line.ts'

/** Connections kept for the next call of the same key. */
export interface IdleLines {
  /** Removes and returns the newest open connection of this key; undefined when there is none. */
  take(key: string): HttpLine | undefined
  /** Keeps a connection, or closes it when too many are kept. */
  keep(line: HttpLine): void
  closeAll(): void
}

/** Keeps at most `maxKeys` times `maxPerKey` connections; the key used longest ago is removed first. */
export function createIdleLines(maxKeys: number, maxPerKey: number): IdleLines {
  const kept = new Map<string, HttpLine[]>()
  let closed = false

  const forget = (line: HttpLine): void => {
    const lines = kept.get(line.key)?.filter(other => other !== line) ?? []
    if (lines.length === 0) kept.delete(line.key)
    else kept.set(line.key, lines)
  }

  const closeOldest = (): void => {
    const [oldest] = kept.keys()
    if (oldest === undefined) return
    const lines = kept.get(oldest) ?? []
    kept.delete(oldest)
    for (const line of lines) line.close()
  }

  return {
    take(key) {
      const line = kept.get(key)?.findLast(candidate => candidate.isOpen())
      if (line !== undefined) forget(line)
      return line
    },
    keep(line) {
      const lines = kept.get(line.key) ?? []
      if (closed || !line.isOpen() || lines.length >= maxPerKey) {
        line.close()
        return
      }
      line.tellWhenClosed(() => forget(line))
      kept.delete(line.key)
      kept.set(line.key, [...lines, line])
      if (kept.size > maxKeys) closeOldest()
    },
    closeAll() {
      closed = true
      while (kept.size > 0) closeOldest()
    },
  }
}
