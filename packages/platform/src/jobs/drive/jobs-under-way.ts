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

/** The hosts whose jobs wait for their turn in the database: nobody's new job gets past them. */
export interface Crowds {
  has(host: string): boolean
  /** A job of this host could not be sent at once. */
  add(host: string): void
  /** What was found by a look at all jobs that are due: of which hosts, with how much room. */
  note(
    hosts: readonly string[],
    looked: { readonly room: Room; readonly underWay: ReadonlyMap<string, number> },
  ): void
}

/** Nobody waits at first. */
export function createCrowds(): Crowds {
  let crowded = new Set<string>()
  let isFull = false
  return {
    has: host => isFull || crowded.has(host),
    add: host => void crowded.add(host),
    note(hosts, { room, underWay }) {
      const jobs = new Map(underWay)
      for (const host of hosts) jobs.set(host, (jobs.get(host) ?? 0) + 1)
      // Where all the room is used, more may wait.
      isFull = hosts.length >= room.limit
      crowded = new Set([...jobs].filter(([, count]) => count >= room.perHost).map(([host]) => host))
    },
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>(done => (resolve = done))
  return { promise, resolve }
}
