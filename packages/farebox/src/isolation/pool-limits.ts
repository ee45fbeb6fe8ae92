import cluster from 'node:cluster'
import { availableParallelism, totalmem } from 'node:os'

const MEGABYTE = 1_048_576

/** The number of handler processes, and the memory of each. */
export interface PoolLimits {
  /** Started in advance. */
  readonly fewest: number
  readonly most: number
  /** The most processes that load at the same time: each uses a core for a moment. */
  readonly mostStarting: number
  /** V8's limit for the JavaScript heap. */
  readonly heapMegabytes: number
  /** A process with more resident memory is killed: V8 does not count buffers, images and native code. */
  readonly residentBytes: number
}

/** The memory of a handler process before it does any work. */
const PROGRAM_MEGABYTES = 96

/** The limits for this machine. Each of several workers has its own pool, so each starts with fewer processes. */
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

/** Whether the machine has enough free memory for another handler process. */
export function hasRoom({ residentBytes }: PoolLimits): boolean {
  return process.availableMemory() > residentBytes
}
