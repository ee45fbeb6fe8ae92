import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../simulator/seeded-random.ts'
import type { StormOrder } from './event-log.ts'
import { PAYMENT_VALID_SECONDS, persist, signOrders } from './order.ts'
import type { Payer, Stage, StageAgent } from './stage/stage.ts'

/** Most callers repeat an order for so long: to the end of the payment's validity, when it is dead. */
const TIMEOUT_MS = PAYMENT_VALID_SECONDS * 1_000
/** Some go away: what was begun for them must be seen to its end without them. */
const SHORT_TIMEOUT_MS = 1_000
const LONGEST_HANDLER_MS = 500

/** Keeps a steady load of paid jobs up until it is enough, and until every caller has its answer. */
export async function runLoad(
  stage: Stage,
  load: { readonly payers: readonly Payer[]; readonly callers: number; readonly pauseMs: number },
  random: Random,
  enough: AbortSignal,
): Promise<void> {
  const callers = Array.from({ length: load.callers }, (_, index) => random.fork(`caller ${index}`))
  await Promise.all(
    callers.map(async caller => {
      while (!enough.aborted && !stage.signal.aborted) {
        await playOrder(stage, caller.pick(load.payers), caller)
        await delay(caller.between(0, load.pauseMs))
      }
    }),
  )
}

/** One order, by one of the ways in which callers behave. */
async function playOrder(stage: Stage, payer: Payer, random: Random): Promise<void> {
  const waitMs = random.chance(0.5) ? 0 : random.between(20, LONGEST_HANDLER_MS)
  // A stock payment is sometimes sent for two jobs.
  const competing = random.chance(0.3) ? (random.chance(0.2) ? 2 : 1) : undefined
  const orders = await signOrders(stage, { payer, waitMs, competing })
  await Promise.all(orders.map(order => playCopies(stage, order, random)))
}

/** The same request, sometimes several times at once, and sometimes again when it is answered. */
async function playCopies(stage: Stage, order: StormOrder, random: Random): Promise<void> {
  // A job stays with the agents that share their jobs; another job of the same payment may go elsewhere.
  const { store } = random.pick(stage.agents)
  const agents = stage.agents.filter(agent => agent.store === store)
  const manner = {
    nextAgent: (): StageAgent => random.pick(agents),
    takes500: random.chance(0.3),
    forMs: random.chance(0.3) ? SHORT_TIMEOUT_MS : TIMEOUT_MS,
  }
  const copies = random.chance(0.25) ? random.between(2, 4) : 1
  const answers = await Promise.all(Array.from({ length: copies }, () => persist(stage, order, manner)))
  if (answers[0]?.status === 200 && random.chance(0.2)) await persist(stage, order, manner)
}
