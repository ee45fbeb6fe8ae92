import { setTimeout as delay } from 'node:timers/promises'
import type { StormOrder } from '../storms/event-log.ts'
import { persist, signOrders } from '../storms/order.ts'
import type { Payer, Stage, StageAgent } from '../storms/stage/stage.ts'

/** A steady load. */
export interface SteadyLoad {
  readonly payers: readonly Payer[]
  /** The number of callers that order one job after the other. */
  readonly callers: number
  /** The pause between two jobs of a caller. */
  readonly pauseMs: number
}

/** The deadline of a job, after which our client gives up. */
const DEADLINE_MS = 45_000
const HANDLER_MS = 20

/**
 * Runs callers that order jobs until `isEnough`, and until each has its answer. They behave as our client does: after a
 * 503, or a 500 with a retry time, they repeat with the same payment until the deadline. Resolves to the orders.
 */
export async function runSteadily(
  stage: Stage,
  { payers, callers, pauseMs }: SteadyLoad,
  enough: AbortSignal,
): Promise<readonly StormOrder[]> {
  const placed: StormOrder[] = []
  const isOver = (): boolean => enough.aborted || stage.signal.aborted
  const call = async (index: number): Promise<void> => {
    for (let count = index; !isOver(); count += 1) {
      const orders = await signOrders(stage, { payer: pickInTurn(payers, index), waitMs: HANDLER_MS })
      placed.push(...orders)
      // Each job stays with one agent, because the agents have separate facilitators.
      const nextAgent = (): StageAgent => pickInTurn(stage.agents, count)
      for (const order of orders)
        await persist(stage, order, { nextAgent, takes500: false, forMs: DEADLINE_MS })
      await delay(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, index) => call(index)))
  return placed
}

function pickInTurn<T>(items: readonly T[], turn: number): T {
  const item = items[turn % items.length]
  if (item === undefined) throw new Error('there is nothing to pick from')
  return item
}
