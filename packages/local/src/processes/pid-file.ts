import { readFile } from 'node:fs/promises'
import { readProcess } from 'farebox/internal/command-line'
import type { ProcessDescription } from 'farebox/internal/command-line'
import { writeDurably } from './write-durably.ts'

/**
 * Records a running process in a file, with the details needed to recognise the same process later.
 *
 * A process that has already ended is recorded as well: a reader of the file finds that it does not run.
 */
export async function writePidFile(path: string, pid: number): Promise<void> {
  const { startedAt } = (await readProcess(pid)) ?? { startedAt: 'ended' }
  await writeDurably(path, `${JSON.stringify({ pid, startedAt })}\n`)
}

/**
 * Returns the process that a pid file names, if that same process still runs.
 *
 * @returns `undefined` when the file does not exist, when its content has another format, when the process has ended, and
 * when another process has its pid now
 */
export async function readPidFile(path: string): Promise<ProcessDescription | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const noted = parseNote(text)
  if (noted === undefined) return undefined
  const found = await readProcess(noted.pid)
  return found?.startedAt === noted.startedAt ? found : undefined
}

function parseNote(text: string): { pid: number; startedAt: string } | undefined {
  const [, pid, startedAt] = /^\{"pid":([1-9]\d{0,9}),"startedAt":"([^"\\]*)"\}\n$/.exec(text) ?? []
  if (pid === undefined || startedAt === undefined) return undefined
  return { pid: Number(pid), startedAt }
}
