import type { Clock } from '@farebox/protocol/time/clock'
import { batchCalls } from '../batch-calls.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { ChainReader, Observation } from './chain-reader.ts'

/**
 * Transfers of USDC tried in one call: they take about 3 M gas, a fifteenth of what nodes grant an `eth_call`, and 17 kB of
 * the 24 kB that an answer with code sizes may have.
 */
const LIMITS = { atMost: 32, inFlight: 8 }
/** A head this old is an idle local chain's: no public chain rests so long between blocks. */
const IDLE_HEAD_SECONDS = 60

interface Waiting {
  readonly payment: LedgerPayment
  readonly resolve: (observation: Observation) => void
  readonly reject: (error: unknown) => void
}

/**
 * Observes payments one by one for the caller and many at a time for the node: a lone one goes at once, those
 * that arrive while the node is busy share the next call. There a payment is tried on what those before it left: where
 * one passes it would pass alone, and where one fails behind another of its payer it is tried once more by itself.
 *
 * The returned function rejects when the node gives no answer.
 */
export function createObserver(
  reader: ChainReader,
  clock: Clock,
): (payment: LedgerPayment) => Promise<Observation> {
  const look = batchCalls<Waiting>(clock, LIMITS, together => observeAll(reader, clock, together))
  return payment => new Promise((resolve, reject) => look([{ payment, resolve, reject }]))
}

async function observeAll(reader: ChainReader, clock: Clock, together: readonly Waiting[]): Promise<void> {
  if (together.length === 1) {
    await Promise.all(together.map(one => observeAlone(reader, clock, one)))
    return
  }
  const observations = await orUndefined(
    reader.observe(
      together.map(one => one.payment),
      { withCode: true },
    ),
  )
  const followers = findFollowers(together)
  await Promise.all(
    together.map(async (one, index) => {
      const observation = observations?.[index]
      const followed = observation?.revert !== undefined && followers.has(one)
      // A call that failed as a whole, or a transfer that ended without a word, may be a neighbour's doing:
      // one payer's contract can burn the gas of all. Alone it is certain.
      if (observation === undefined || followed || needsAnotherLook(observation, one.payment, clock)) {
        await observeAlone(reader, clock, one)
      } else {
        one.resolve(observation)
      }
    }),
  )
}

/** Those that are tried behind another payment of their payer. */
function findFollowers(together: readonly Waiting[]): ReadonlySet<Waiting> {
  const payers = new Set<string>()
  return new Set(
    together.filter(({ payment }) => {
      const { from } = payment.authorization
      if (payers.has(from)) return true
      payers.add(from)
      return false
    }),
  )
}

async function observeAlone(
  reader: ChainReader,
  clock: Clock,
  { payment, resolve, reject }: Waiting,
): Promise<void> {
  try {
    const [observation] = await reader.observe([payment], { withCode: true })
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
function isIdleHead({ blockSeconds }: Observation, { authorization }: LedgerPayment, clock: Clock): boolean {
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
  const [pending] = await reader.observe([payment], { block: 'pending', withCode: true })
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
