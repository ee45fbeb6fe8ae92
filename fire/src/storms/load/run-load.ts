import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../simulator/seeded-random.ts'
import type { StormOrder } from '../event-log.ts'
import type { StageAgent } from '../stage/parties.ts'
import type { StormStage } from '../storm-run.ts'
import { persist, sendOrder } from './send-order.ts'
import { signOrder, signRivals } from './sign-order.ts'

/** A steady load of paid jobs. */
export interface Load {
  /** Callers at the same time, each with one order at a time. */
  readonly callers: number
  readonly random: Random
  /** No further order is begun once it is aborted; those begun are seen to their end. */
  readonly enough: AbortSignal
  /** Everything is left where it is. */
  readonly signal: AbortSignal
  /** Between two orders of a caller, at most. */
  readonly pauseMs: number
}

/** Most callers repeat an order for so long: to the end of the payment's validity, when it is dead. */
const TIMEOUT_MS = 95_000
/** Some go away: what was begun for them must be seen to its end without them. */
const SHORT_TIMEOUT_MS = 1_000
const LONGEST_HANDLER_MS = 500

/** Runs it until it is enough, and until every caller has its answer. */
export async function runLoad(stage: StormStage, load: Load): Promise<void> {
  const callers = Array.from({ length: load.callers }, (_, index) => load.random.fork(`caller ${index}`))
  await Promise.all(
    callers.map(async random => {
      while (!load.enough.aborted && !load.signal.aborted) {
        await playOrder(stage, random, load.signal)
        await delay(random.between(0, load.pauseMs))
      }
    }),
  )
}

/** One order, by one of the ways in which callers behave. */
async function playOrder(stage: StormStage, random: Random, signal: AbortSignal): Promise<void> {
  const wish = {
    payer: random.pick(stage.payers),
    waitMs: random.chance(0.5) ? 0 : random.between(20, LONGEST_HANDLER_MS),
  }
  const isStock = random.chance(0.3)
  // A stock payment is sometimes sent for two jobs.
  const rivals = isStock ? await signRivals(stage, wish, random.chance(0.2) ? 2 : 1) : []
  const orders = isStock ? rivals : [await signOrder(stage, wish)]
  await Promise.all(orders.map(async order => await playCopies(stage, order, random, signal)))
}

/** The same request, sometimes several times at once, and sometimes again when it is answered. */
async function playCopies(
  stage: StormStage,
  order: StormOrder,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const nextAgent = (): StageAgent => random.pick(stage.agents)
  const manner = {
    nextAgent,
    takes500: random.chance(0.3),
    untilMs: Date.now() + (random.chance(0.3) ? SHORT_TIMEOUT_MS : TIMEOUT_MS),
    signal,
  }
  const copies = random.chance(0.25) ? random.between(2, 4) : 1
  const answers = await Promise.all(
    Array.from({ length: copies }, async () => await persist(stage, order, manner)),
  )
  if (answers[0]?.status === 200 && random.chance(0.2)) await sendOrder(stage, nextAgent(), order)
}
