import { Worker } from 'node:worker_threads'
import { addCounts, type SeedRunResult, type SeedShare } from './serve-seeds.ts'

export interface SeedRun {
  readonly simulator: string
  readonly first: number
  readonly count: number
  readonly workers: number
  readonly onProgress?: (progress: { readonly done: number; readonly broken: number }) => void
  /** Stops at the first history that breaks a rule, as soon as it is known to be the first. */
  readonly stopsAtViolation?: boolean
  /** Ends the run early: the result covers the histories judged until then. */
  readonly signal?: AbortSignal
}

/** Small enough for visible progress, large enough to cost little. */
const SHARE = 50

/** A heap with a small young generation is collected ten times as often: histories leave only garbage. */
const YOUNG_MEGABYTES = 192

/** Runs the histories of many seeds on several threads. Rejects with the seeds if the simulator itself fails. */
export async function simulateSeeds(run: SeedRun): Promise<SeedRunResult> {
  const counts: { [what: string]: number } = {}
  const broken: SeedRunResult['broken'][number][] = []
  let next = run.first
  let done = 0
  const end = run.first + run.count
  const takeShare = (): SeedShare | undefined => {
    const first = next
    const isOver = first >= end || run.signal?.aborted === true
    if (isOver || (run.stopsAtViolation === true && broken.length > 0)) return undefined
    next = Math.min(end, first + SHARE)
    return { first, count: next - first }
  }
  const take = (result: SeedRunResult): void => {
    done += result.count
    addCounts(counts, result.counts)
    broken.push(...result.broken)
    run.onProgress?.({ done, broken: broken.length })
  }
  const workers = Array.from({ length: run.workers }, () => work(run.simulator, takeShare, take))
  await Promise.all(workers)
  return { count: done, counts, broken: broken.toSorted((one, other) => one.seed - other.seed) }
}

function work(
  simulator: string,
  takeShare: () => SeedShare | undefined,
  take: (result: SeedRunResult) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(simulator, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } })
    let share: SeedShare | undefined
    const next = (): void => {
      share = takeShare()
      if (share === undefined) worker.terminate().then(() => resolve(), reject)
      else worker.postMessage(share)
    }
    worker.on('message', (result: SeedRunResult) => {
      take(result)
      next()
    })
    worker.on('error', error => {
      const where = share === undefined ? '' : ` in seeds ${share.first} to ${share.first + share.count - 1}`
      reject(new Error(`the simulator failed${where}`, { cause: error }))
    })
    next()
  })
}
