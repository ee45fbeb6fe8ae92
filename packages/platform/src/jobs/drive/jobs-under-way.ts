import type { Reserved } from '../../handover.ts'

/** The jobs that a process is at, and at which hosts. */
export interface JobsUnderWay {
  readonly size: number
  readonly byHost: ReadonlyMap<string, number>
  /** Counts a job at `host` until the work ends, which must not reject. */
  add(host: string, work: Promise<void>): void
  /** Counts a job at `host` that is still to be written down, and that `drive` begins with then. */
  reserve<Job>(host: string, holder: string, drive: (job: Job) => Promise<void>): Reserved<Job>
  /** Resolves when all have ended. */
  ended(): Promise<void>
}

/** How many jobs may be taken now. */
export interface Room {
  readonly limit: number
  readonly perHost: number
}

/** Nothing is under way at first. */
export function createJobsUnderWay(): JobsUnderWay {
  const running = new Set<Promise<void>>()
  const byHost = new Map<string, number>()
  const count = (host: string, change: 1 | -1): void => {
    const jobs = (byHost.get(host) ?? 0) + change
    if (jobs === 0) byHost.delete(host)
    else byHost.set(host, jobs)
  }
  const add = (host: string, work: Promise<void>): void => {
    count(host, 1)
    const counted = work.then(() => {
      running.delete(counted)
      count(host, -1)
    })
    running.add(counted)
  }
  return {
    get size() {
      return running.size
    },
    byHost,
    add,
    reserve(host, holder, drive) {
      const { promise, resolve } = deferred()
      add(host, promise)
      return { holder, begin: job => void drive(job).then(resolve), release: resolve }
    },
    async ended() {
      await Promise.all(running)
    },
  }
}

/** No host has more than this part of what the others leave free. */
const PART_OF_FREE = 8

/**
 * How many jobs may be taken where so many of the slots are free. The fewer are left, the fewer does a host get, and
 * half of them are left for those that come next: a dozen hosts that never answer must not take all.
 */
export function findRoom(free: number, perHost: number): Room {
  return { limit: Math.ceil(free / 2), perHost: Math.min(perHost, Math.ceil(free / PART_OF_FREE)) }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>(done => (resolve = done))
  return { promise, resolve }
}
