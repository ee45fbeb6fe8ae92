import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { Score } from '../../battery.ts'

/** Reads the memory of processes that were started with this reader's environment. */
export interface MemoryReader {
  /** Additions to the environment of a Node process. */
  readonly environment: { readonly NODE_OPTIONS: string; readonly FIRE_MEMORY_FOLDER: string }
  /**
   * Resolves to the bytes that a process holds after a collection, in its heap and outside, once the figure is stable:
   * the process has then read everything sent to it. Measures again while the figure is above `most`: a busy process
   * may pause while it parses.
   */
  read(pid: number, most?: number): Promise<number>
  close(): Promise<void>
}

/** The memory that a process may hold: for each received body byte, and for each connection. */
const TIMES = 3
const BYTES_A_CONNECTION = 262_144
/** The process may not have read all bytes that the network has accepted. */
const READ_AFTER_MS = 500
/** The pause between two measurements of a process that still works, and the maximum number of measurements. */
const SETTLE_MS = 400
const MAX_LOOKS = 50
/** A smaller difference between two measurements counts as no work. */
const STEADY_BYTES = 65_536

/** Creates the reader, with its own folder. */
export async function createMemoryReader(): Promise<MemoryReader> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-memory-'))
  const look = async (pid: number): Promise<number> => {
    const file = join(folder, String(pid))
    await rm(file, { force: true })
    process.kill(pid, 'SIGUSR2')
    return Number(await until(() => readFile(file, 'utf8').catch(() => '')))
  }
  return {
    environment: {
      NODE_OPTIONS: `--import=${new URL('report-memory.mjs', import.meta.url).href}`,
      FIRE_MEMORY_FOLDER: folder,
    },
    async read(pid, most = Infinity) {
      let bytes = await look(pid)
      for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
        await delay(SETTLE_MS)
        const before = bytes
        bytes = await look(pid)
        if (Math.abs(bytes - before) < STEADY_BYTES && bytes <= most) break
      }
      return bytes
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * Whether a process holds no more memory for bodies than allowed: 3 × the received bytes + 256 KiB for each connection.
 *
 * @param send sends the bodies; resolves to the maximum number of their bytes that the process has received
 */
export async function measureBodies(
  memory: MemoryReader,
  { test, pid, connections }: { readonly test: string; readonly pid: number; readonly connections: number },
  send: () => Promise<number>,
): Promise<Score> {
  const before = await memory.read(pid)
  const bytes = await send()
  await delay(READ_AFTER_MS)
  const most = TIMES * bytes + connections * BYTES_A_CONNECTION
  const held = (await memory.read(pid, before + most)) - before
  return {
    test,
    reached: `${kib(held)} KiB held for ${kib(bytes)} KiB of body (${(held / Math.max(1, bytes)).toFixed(1)} × its bytes)`,
    target: `at most 3 × its bytes + 256 KiB a connection: ${kib(most)} KiB`,
    isMet: held <= most,
  }
}

function kib(bytes: number): number {
  return Math.round(bytes / 1_024)
}
