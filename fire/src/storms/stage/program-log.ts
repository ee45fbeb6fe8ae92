import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'

/** What the programs of a stage say, a file each: for whoever looks into a finding. */
export interface ProgramLog {
  /** Takes the lines of one program, over all its lives. */
  of(name: string): (line: string) => void
  close(): Promise<void>
}

/** Makes it, in a folder of its own. */
export function createProgramLog(folder: string): ProgramLog {
  mkdirSync(folder, { recursive: true })
  const streams: WriteStream[] = []
  return {
    of(name) {
      const stream = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
      streams.push(stream)
      return line => void stream.write(`${line}\n`)
    },
    async close() {
      for (const stream of streams) await new Promise<void>(resolve => stream.end(resolve))
    },
  }
}
