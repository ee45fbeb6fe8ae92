import { createRateLimit } from '@farebox/server/internal/rate-limit'
import { Refusal } from '../../http/refusal.ts'
import { createSlots } from '../../outbound/slots.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import type { JobRow } from '../records/job-row.ts'
import type { NewJob } from '../records/job-store.ts'
import { readPayerState, type PayerState } from '../quote/read-payer-state.ts'
import { CALLER_ORDER_BOUNDS, checkOrderBounds } from './order-bounds.ts'
import { createOrderBatches } from './batch-orders.ts'
import { cannotPay, tooMuch, writeOrders, writeRetry, type AdmissionBounds } from './write-order.ts'

/**
 * Stores a caller's job, due at once, when its payer can pay and the limits allow it. Resolves to `undefined` as
 * `insertJob` does. `from` is the key of the caller's address from `callerKey`. `retryOf` is the attempt that is retried;
 * in that case it resolves to `undefined` as `reopenJobIn` does.
 *
 * @throws {Refusal} `payment`, `rate_limited`, or `unavailable` when the chain does not tell the payer's balance; nothing
 *   was written in that case
 */
export type AdmitOrder = (job: NewJob, from: string, retryOf?: number) => Promise<JobRow | undefined>

/** The most payers without money that one address may have checked per minute. */
const EMPTY_PAYERS_PER_MINUTE = 60

/** Limits of unpaid contents: twice the largest order for a payer, and twice that for an address. */
const CALLER_BOUNDS: AdmissionBounds = {
  ...CALLER_ORDER_BOUNDS,
  unpaidBytesOfPayer: 4 * 1_048_576,
  unpaidBytesFromAddress: 8 * 1_048_576,
  connectionsForAddress: 1,
}

/**
 * Creates the admission of one process. The counts per payer and address are in the database and shared by all processes.
 */
export function createOrderAdmission(
  parts: PlatformParts,
  bounds: AdmissionBounds = CALLER_BOUNDS,
): AdmitOrder {
  const limit = createRateLimit(parts.clock)
  const unwritten = countUnwritten(bounds.unpaidBytesFromAddress)
  const write = createWriting(parts, bounds)
  return async (job, from, retryOf) => {
    const leave = unwritten.enter(from, Buffer.byteLength(job.requestBody))
    try {
      // For orders of runs, the counts are checked when they are written, because the payer signed each one.
      if (retryOf !== undefined || job.runId === undefined) {
        const { isPaymentKnown } = await checkOrderBounds(parts, job, bounds)
        // The payment is in use for another job here, which is more precise than that it was used.
        if (retryOf === undefined && isPaymentKnown) return undefined
      }
      const payer = await seePayer(parts, job, {
        take: () => limit(from, EMPTY_PAYERS_PER_MINUTE),
        giveBack: () => limit.giveBack(from),
      })
      if (!payer.isUsed) return await write(job, { from, retryOf, balanceAtomic: payer.balanceAtomic })
      // A job that was sent before may just have been charged; its payer must not sign again.
      if (retryOf !== undefined)
        throw new Refusal('conflict', `${USED}: ask for the job, it may have been charged`)
      // A job is stored before its payment is sent, so a job ordered at the same time is known by now.
      if ((await checkOrderBounds(parts, job, bounds)).isPaymentKnown) return undefined
      throw new Refusal(
        'payment',
        `${USED}: ask for the job that was ordered with it; for another job sign a new payment`,
      )
    } finally {
      leave()
    }
  }
}

const USED = 'payment: was used or cancelled'

/** Counts the bytes of orders that wait in memory to be written, by the address they came from. */
function countUnwritten(mostFromAddress: number): { enter(from: string, bytes: number): () => void } {
  const waiting = new Map<string, number>()
  return {
    enter(from, bytes) {
      const held = (waiting.get(from) ?? 0) + bytes
      if (held > mostFromAddress) throw tooMuch('orders from this address that are not written down yet', 1)
      waiting.set(from, held)
      return () => {
        const left = (waiting.get(from) ?? 0) - bytes
        if (left <= 0) waiting.delete(from)
        else waiting.set(from, left)
      }
    },
  }
}

type WriteOrder = (
  job: NewJob,
  order: { readonly from: string; readonly retryOf: number | undefined; readonly balanceAtomic: bigint },
) => Promise<JobRow | undefined>

function createWriting(parts: PlatformParts, bounds: AdmissionBounds): WriteOrder {
  const turns = createSlots(bounds.connectionsForAddress)
  /** Limits the connections of one address, so that others have connections left. */
  const inTurn = async <T>(from: string, write: () => Promise<T>): Promise<T> => {
    const leave = await turns.take(from, new AbortController().signal)
    try {
      return await write()
    } finally {
      leave()
    }
  }
  const writeTogether = createOrderBatches((jobs, { from, balanceAtomic }) =>
    inTurn(from, () => writeOrders(parts, jobs, { from, balanceAtomic, bounds })),
  )
  return async (job, { from, retryOf, balanceAtomic }) => {
    if (retryOf !== undefined)
      return await inTurn(from, () =>
        writeRetry(parts, job, { from, balanceAtomic, bounds, attempt: retryOf }),
      )
    const written = await writeTogether({ job, from, balanceAtomic })
    if (written instanceof Refusal) throw written
    return written
  }
}

/**
 * Reads the payer's balance and whether the authorization is used. Checks of payers without enough money are counted
 * against the address; others are not.
 */
async function seePayer(
  parts: PlatformParts,
  job: NewJob,
  { take, giveBack }: { readonly take: () => number | undefined; readonly giveBack: () => void },
): Promise<PayerState> {
  const seconds = take()
  if (seconds !== undefined)
    throw new Refusal(
      'rate_limited',
      'payment: too many orders of payers who cannot pay came from this address',
      {
        retryAfterSeconds: seconds,
      },
    )
  const payer = await readPayerState(parts, job.authorization)
  if (payer === undefined) {
    giveBack()
    throw new Refusal(
      'unavailable',
      'payment: the chain does not say now what the payer has; nothing was sent',
    )
  }
  if (payer.isUsed) return payer
  if (payer.balanceAtomic < job.amountAtomic) throw cannotPay(payer.balanceAtomic, 0n, job)
  giveBack()
  return payer
}
