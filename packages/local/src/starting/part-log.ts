import { createWriteStream, mkdirSync, renameSync, type WriteStream } from 'node:fs'
import { dirname } from 'node:path'

/** The log of one part in a file. */
export interface PartLog {
  write(line: string): void
  /** Resolves once everything is in the file. */
  close(): Promise<void>
}

/** Beyond this the file becomes `<file>.old`, in place of the one before, and another is begun. */
const MOST_BYTES = 5_000_000

/**
 * Writes the lines of a part to a file, begun again with each start. It takes two times `mostBytes` of the disk at
 * most. A disk that is full costs the log, and nothing else.
 *
 * @param file - its folder is made where it is missing
 */
export function openPartLog(file: string, mostBytes = MOST_BYTES): PartLog {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  let stream = open(file)
  let bytes = 0
  return {
    write(line) {
      const text = `${line}\n`
      bytes += Buffer.byteLength(text)
      stream.write(text)
      if (bytes <= mostBytes || stream.pending) return
      stream.end()
      renameSync(file, `${file}.old`)
      stream = open(file)
      bytes = 0
    },
    close: () =>
      new Promise(resolve => {
        stream.once('close', resolve)
        stream.end()
      }),
  }
}

function open(file: string): WriteStream {
  // What agents log is for the eyes of the one who runs them.
  return createWriteStream(file, { flags: 'w', mode: 0o600 }).on('error', () => undefined)
}
