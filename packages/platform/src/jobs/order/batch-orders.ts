import type { Refusal } from '../../http/refusal.ts'
import type { JobRow } from '../records/job-row.ts'
import type { NewJob } from '../records/job-store.ts'

/** An order to be stored, and its payer's balance. */
export interface BatchedOrder {
  readonly job: NewJob
  /** The key of the caller's address from `callerKey`. */
  readonly from: string
  readonly balanceAtomic: bigint
}

/** The result of one order: the job, the refusal, or `undefined` as from `writeOrders`. */
export type OrderWritten = JobRow | Refusal | undefined

/** Stores orders from one address, of one payer at one agent, together: all or none. */
export type WriteTogether = (
  jobs: readonly NewJob[],
  terms: Omit<BatchedOrder, 'job'>,
) => Promise<readonly OrderWritten[]>

const MOST_TOGETHER = 32
const MOST_CHARACTERS_TOGETHER = 1_048_576

interface Waiting extends BatchedOrder {
  resolve(written: OrderWritten): void
  reject(error: unknown): void
}

/**
 * Batches the writing of orders. Orders of one payer at one agent wait for each other in the database anyway, so the orders
 * that arrive during a write are written together afterwards. When a batch fails, each of its orders is tried alone.
 */
export function createOrderBatches(write: WriteTogether): (order: BatchedOrder) => Promise<OrderWritten> {
  const queues = new Map<string, Waiting[]>()

  const writeAll = async (orders: readonly Waiting[]): Promise<void> => {
    try {
      const balanceAtomic = orders.map(order => order.balanceAtomic).reduce((a, b) => (a < b ? a : b))
      const from = orders[0]?.from ?? ''
      const written = await write(
        orders.map(({ job }) => job),
        { from, balanceAtomic },
      )
      for (const [index, { resolve }] of orders.entries()) resolve(written[index])
    } catch (error) {
      const [first, ...others] = orders
      if (others.length === 0) return first?.reject(error)
      for (const order of orders) await writeAll([order])
    }
  }
  const drain = async (key: string, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) await writeAll(queue.splice(0, countTogether(queue)))
    queues.delete(key)
  }
  return given =>
    new Promise((resolve, reject) => {
      const key = `${given.from} ${given.job.payer} ${given.job.agentId}`
      const order = { ...given, resolve, reject }
      const queue = queues.get(key)
      if (queue !== undefined) return void queue.push(order)
      const begun = [order]
      queues.set(key, begun)
      void drain(key, begun)
    })
}

/**
 * How many of the first orders fit into one statement; at least one. Two orders with the same job_id do not fit: it would
 * be unknown which one was written, and both would be sent.
 */
function countTogether(orders: readonly BatchedOrder[]): number {
  let characters = 0
  const jobIds = new Set<string>()
  for (const { job } of orders.slice(0, MOST_TOGETHER)) {
    characters += job.requestBody.length
    if (jobIds.size > 0 && characters > MOST_CHARACTERS_TOGETHER) break
    if (jobIds.has(job.jobId)) break
    jobIds.add(job.jobId)
  }
  return jobIds.size
}
