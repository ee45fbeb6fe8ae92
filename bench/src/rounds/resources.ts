import { readdirSync, readFileSync } from 'node:fs'

/** What a process holds at a moment. */
export interface Resources {
  /** Memory of its own, without the pages of files it maps: those are the system's to take back. */
  readonly ownBytes: number
  /** Pages of files in memory: the program itself, and a store that is mapped. */
  readonly mappedBytes: number
  readonly openFiles: number
  readonly threads: number
}

/** From `/proc`. Throws where the process has ended. */
export function readResources(pid: number): Resources {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return {
    ownBytes: field('RssAnon') * 1_024,
    mappedBytes: (field('RssFile') + field('RssShmem')) * 1_024,
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
    threads: field('Threads'),
  }
}
