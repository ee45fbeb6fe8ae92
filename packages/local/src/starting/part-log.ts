import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** The log of one part in a file. */
export interface PartLog {
  write(line: string): void
  close(): void
}

/** Beyond this the file becomes `<file>.old`, in place of the one before, and another is begun. */
const MOST_BYTES = 5_000_000

/**
 * Writes the lines of a part to a file that each start begins again; the file of the previous start is kept as
 * `<file>.old`. Both take two times `mostBytes` of the disk at most, and a line. Each line is in the file when `write`
 * returns, so that a failure can name the file. A disk that is full costs the log, and nothing else.
 *
 * @param file - its folder is made where it is missing
 */
export function openPartLog(file: string, mostBytes = MOST_BYTES): PartLog {
  keepOld(file)
  let log = open(file)
  let bytes = 0
  const close = (): void => {
    if (log !== undefined) closeSync(log)
    log = undefined
  }
  return {
    write(line) {
      if (log === undefined) return
      try {
        bytes += writeSync(log, `${line}\n`)
        if (bytes <= mostBytes) return
        close()
        keepOld(file)
        log = open(file)
        bytes = 0
      } catch {
        close()
      }
    },
    close,
  }
}

/** The log of a part that died must survive the next start: it may not have been read yet. */
function keepOld(file: string): void {
  try {
    if (statSync(file).isFile()) renameSync(file, `${file}.old`)
  } catch {
    // There is none.
  }
}

/** Undefined where it cannot be written. */
function open(file: string): number | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // The log of agents is for the person who runs them.
    return openSync(file, 'w', 0o600)
  } catch {
    return undefined
  }
}
