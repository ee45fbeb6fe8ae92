import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What a process holds, in bytes. */
export interface Memory {
  /** The heap and what it refers to outside, after a collection. */
  readonly retained: number
  readonly rss: number
}

/** Reads the memory of processes that were started with its environment. */
export interface MemoryReader {
  /** To be added to the environment of a process that runs Node. */
  readonly environment: { readonly NODE_OPTIONS: string; readonly FIRE_MEMORY_FOLDER: string }
  /** Collects the garbage of a process and reads what is left. Rejects where it does not answer within ten minutes. */
  read(pid: number): Promise<Memory>
  /** The same, once it changes no more: what was sent to the process has been read there. */
  readSettled(pid: number): Promise<Memory>
  /** Once it is settled, reads it again while it is above so many bytes: a busy process may pause while it parses. */
  readLeast(pid: number, retained: number): Promise<Memory>
  close(): Promise<void>
}

const POLL_MS = 20
const TIMEOUT_MS = 600_000
/** Between two looks at a process that still works on what it was sent; as many looks at most. */
const SETTLE_MS = 400
const MAX_LOOKS = 50
/** Less than this between two looks is no work. */
const STEADY_BYTES = 65_536

/** Makes the reader, with a folder of its own. */
export async function createMemoryReader(): Promise<MemoryReader> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-memory-'))
  const read = async (pid: number): Promise<Memory> => {
    const file = join(folder, String(pid))
    await rm(file, { force: true })
    process.kill(pid, 'SIGUSR2')
    for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += POLL_MS) {
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text !== undefined) return JSON.parse(text) as Memory
      await delay(POLL_MS)
    }
    throw new Error(`process ${pid} has not told its memory for ${TIMEOUT_MS / 1_000} s`)
  }
  const readSettled = async (pid: number): Promise<Memory> => {
    let memory = await read(pid)
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      await delay(SETTLE_MS)
      const next = await read(pid)
      const isSteady = Math.abs(next.retained - memory.retained) < STEADY_BYTES
      memory = next
      if (isSteady) break
    }
    return memory
  }
  return {
    environment: {
      NODE_OPTIONS: `--import=${new URL('report-memory.mjs', import.meta.url).href}`,
      FIRE_MEMORY_FOLDER: folder,
    },
    read,
    readSettled,
    async readLeast(pid, retained) {
      let memory = await readSettled(pid)
      for (let looks = 1; looks < MAX_LOOKS && memory.retained > retained; looks += 1) {
        await delay(SETTLE_MS)
        memory = await read(pid)
      }
      return memory
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
