import { readFile } from 'node:fs/promises'

/** One run of a handler, as it noted itself. */
export interface HandlerRun {
  readonly jobId: string
  readonly run: string
  readonly pid: number
  /** Unix milliseconds: when it began. */
  readonly atMs: number
}

/** All runs by job, in the order in which they began. */
export async function readRuns(file: string): Promise<ReadonlyMap<string, readonly HandlerRun[]>> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const byJob = new Map<string, HandlerRun[]>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    // Only our own handler writes this file.
    const run = JSON.parse(line) as HandlerRun
    const earlier = byJob.get(run.jobId)
    if (earlier === undefined) byJob.set(run.jobId, [run])
    else earlier.push(run)
  }
  return byJob
}
