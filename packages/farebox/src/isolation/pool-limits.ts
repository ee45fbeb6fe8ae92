import cluster from 'node:cluster'
import { availableParallelism, totalmem } from 'node:os'

const MEGABYTE = 1_048_576

/** How many handler processes there may be, and how much memory each. */
export interface PoolLimits {
  /** Ready before anybody asks. */
  readonly fewest: number
  readonly most: number
  /** Loading at the same time: each takes a core for a moment. */
  readonly mostStarting: number
  /** V8's own bound for what JavaScript allocates. */
  readonly heapMegabytes: number
  /** A process that holds more is ended: buffers, images and native code are not V8's to count. */
  readonly residentBytes: number
}

/** A program does nothing yet and holds this much. */
const PROGRAM_MEGABYTES = 96

/** The limits of this machine. Of several workers each has its own pool, so each begins with less. */
export function poolLimits(): PoolLimits {
  const cores = availableParallelism()
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const heapMegabytes = Math.min(512, Math.max(64, Math.floor(memory / 4 / MEGABYTE)))
  return {
    fewest: cluster.isWorker ? 2 : Math.max(2, cores),
    most: 64,
    mostStarting: Math.max(2, cores),
    heapMegabytes,
    residentBytes: (2 * heapMegabytes + PROGRAM_MEGABYTES) * MEGABYTE,
  }
}

/** Whether the machine has room for one more handler process. */
export function hasRoom({ residentBytes }: PoolLimits): boolean {
  return process.availableMemory() > residentBytes
}
