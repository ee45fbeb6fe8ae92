import type { Clock } from '@farebox/protocol/time/clock'
import { batchCalls } from '../batch-calls.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { ChainReader, Observation } from './chain-reader.ts'

/**
 * USDC transfers simulated in one call: they take about 3 M gas, a fifteenth of what nodes grant an `eth_call`, and 17 kB of
 * the 24 kB that an answer with code sizes may have.
 */
const LIMITS = { atMost: 32, inFlight: 8 }
/** A head this old belongs to an idle local chain: no public chain pauses so long between blocks. */
const IDLE_HEAD_SECONDS = 60

interface Waiting {
  readonly payment: LedgerPayment
  readonly resolve: (observation: Observation) => void
  readonly reject: (error: unknown) => void
}

/**
 * Observes payments one by one for the caller and in batches for the node: a single one is sent at once; those that arrive
 * while the node is busy share the next call. Within a call each transfer is simulated on top of the ones before it: a
 * transfer that succeeds there would also succeed alone, and one that fails after another of the same payer is simulated
 * once more alone.
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
      // A call that failed as a whole, or a transfer that ended without a reason, may be another payment's fault: one
      // payer's contract can burn the gas of all. Simulated alone, the result is certain.
      if (observation === undefined || followed || needsAnotherLook(observation, one.payment, clock)) {
        await observeAlone(reader, clock, one)
      } else {
        one.resolve(observation)
      }
    }),
  )
}

/** The payments that come after another payment of the same payer. */
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

/** Is the head so old that a bound of the authorization lies between the head's time and now? */
function isIdleHead({ blockSeconds }: Observation, { authorization }: LedgerPayment, clock: Clock): boolean {
  const now = clock.nowMs() / 1_000
  if (now - blockSeconds <= IDLE_HEAD_SECONDS) return false
  return [authorization.validAfter, authorization.validBefore].some(
    bound => Number(bound) >= blockSeconds && Number(bound) < now,
  )
}

/** On an idle chain the pending block counts; balance and block number are still those of the newest block. */
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
