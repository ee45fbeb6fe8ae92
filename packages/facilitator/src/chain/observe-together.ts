import type { Clock } from '../clock.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { ChainReader, Observation } from './chain-reader.ts'

/** Calls in flight at once; while they run, those who come wait and then go together. */
const CALLS_IN_FLIGHT = 2
/** Transfers of USDC tried in one call: about 5 M gas, a tenth of what nodes grant an `eth_call`. */
const PAYMENTS_PER_CALL = 50
/** A head this old is an idle local chain's: no public chain rests so long between blocks. */
const IDLE_HEAD_SECONDS = 60

interface Waiting {
  readonly payment: LedgerPayment
  readonly resolve: (observation: Observation) => void
  readonly reject: (error: unknown) => void
}

/**
 * Observes payments one by one for the caller and many at a time for the node: a lone one goes at once, those
 * that arrive while the node is busy share the next call. One call never holds two payments of one payer,
 * because the second would be tried on what the first left.
 *
 * The returned function rejects when the node gives no answer.
 */
export function createObserver(
  reader: ChainReader,
  clock: Clock,
): (payment: LedgerPayment) => Promise<Observation> {
  let queue: Waiting[] = []
  let inFlight = 0

  const next = (): void => {
    while (queue.length > 0 && inFlight < CALLS_IN_FLIGHT) {
      const { together, rest } = takeDistinctPayers(queue)
      queue = rest
      inFlight += 1
      void observeAll(reader, clock, together).finally(() => {
        inFlight -= 1
        next()
      })
    }
  }
  return payment =>
    new Promise((resolve, reject) => {
      queue.push({ payment, resolve, reject })
      next()
    })
}

function takeDistinctPayers(queue: readonly Waiting[]): {
  readonly together: readonly Waiting[]
  readonly rest: Waiting[]
} {
  const payers = new Set<string>()
  const together: Waiting[] = []
  const rest: Waiting[] = []
  for (const one of queue) {
    const payer = one.payment.authorization.from
    if (together.length < PAYMENTS_PER_CALL && !payers.has(payer)) {
      payers.add(payer)
      together.push(one)
    } else {
      rest.push(one)
    }
  }
  return { together, rest }
}

async function observeAll(reader: ChainReader, clock: Clock, together: readonly Waiting[]): Promise<void> {
  if (together.length === 1) {
    await Promise.all(together.map(one => observeAlone(reader, clock, one)))
    return
  }
  const observations = await orUndefined(reader.observe(together.map(one => one.payment)))
  await Promise.all(
    together.map(async (one, index) => {
      const observation = observations?.[index]
      // A call that failed as a whole, or a transfer that ended without a word, may be a neighbour's doing:
      // one payer's contract can burn the gas of all. Alone it is certain.
      if (observation === undefined || needsAnotherLook(observation, one.payment, clock)) {
        await observeAlone(reader, clock, one)
      } else {
        one.resolve(observation)
      }
    }),
  )
}

async function observeAlone(
  reader: ChainReader,
  clock: Clock,
  { payment, resolve, reject }: Waiting,
): Promise<void> {
  try {
    const [observation] = await reader.observe([payment])
    if (observation === undefined) throw new Error('the node observed nothing')
    resolve(
      isIdleHead(observation, payment, clock)
        ? await observePending(reader, payment, observation)
        : observation,
    )
  } catch (error) {
    reject(error)
  }
}

function needsAnotherLook(observation: Observation, payment: LedgerPayment, clock: Clock): boolean {
  return observation.revert?.mute === true || isIdleHead(observation, payment, clock)
}

/** Is the head so old that a bound of the authorization lies between its time and now? */
export function isIdleHead(
  { blockSeconds }: Observation,
  { authorization }: LedgerPayment,
  clock: Clock,
): boolean {
  const now = clock.nowMs() / 1_000
  if (now - blockSeconds <= IDLE_HEAD_SECONDS) return false
  return [authorization.validAfter, authorization.validBefore].some(
    bound => Number(bound) >= blockSeconds && Number(bound) < now,
  )
}

/**
 * On such a chain the block being made is the one that counts; balance and number stay those of the newest.
 */
async function observePending(
  reader: ChainReader,
  payment: LedgerPayment,
  latest: Observation,
): Promise<Observation> {
  const [pending] = await reader.observe([payment], 'pending')
  return pending === undefined
    ? latest
    : { ...pending, balanceAtomic: latest.balanceAtomic, blockNumber: latest.blockNumber }
}

async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch {
    return undefined
  }
}
