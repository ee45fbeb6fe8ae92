import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** The log file of one part. */
export interface PartLog {
  write(line: string): void
  close(): void
}

/** A larger file is renamed to `<file>.old`, replacing the previous one, and a new file is started. */
const MOST_BYTES = 5_000_000

/**
 * Writes the lines of a part to a file that each start truncates; the file of the previous start is kept as `<file>.old`.
 * Together the two use at most two times `mostBytes` of the disk, plus one line. Each line is in the file when `write`
 * returns, so that an error message can refer to the file. On a full disk only the log is lost.
 *
 * @param file - its folder is created when it does not exist
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

/** Keeps the log of a part that ended, because a person may not have read it before the next start. */
function keepOld(file: string): void {
  try {
    if (statSync(file).isFile()) renameSync(file, `${file}.old`)
  } catch {
    // There is no earlier log.
  }
}

/** Returns `undefined` when the file cannot be written. */
function open(file: string): number | undefined {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // Only the user who runs the agents may read their log.
    return openSync(file, 'w', 0o600)
  } catch {
    return undefined
  }
}
