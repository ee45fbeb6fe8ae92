import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { StormStage } from '../stage/storm-stage.ts'
import { readLedger } from './read-ledger.ts'

/** What is not decided yet. */
export interface Unsettled {
  /** Payments that the facilitators have taken and not concluded. */
  readonly payments: number
  /** Responses that an agent has saved and not proven paid. */
  readonly responses: number
}

const LOOK_EVERY_MS = 250

/** Waits until nothing is in doubt any more, and no longer than so long; resolves to what still is. */
export async function awaitCalm(
  stage: StormStage,
  atMostMs: number,
  signal: AbortSignal,
): Promise<Unsettled> {
  const giveUpMs = performance.now() + atMostMs
  for (;;) {
    const unsettled = await countUnsettled(stage)
    const isCalm = unsettled.payments === 0 && unsettled.responses === 0
    if (isCalm || signal.aborted || performance.now() > giveUpMs) return unsettled
    await delay(LOOK_EVERY_MS)
  }
}

async function countUnsettled(stage: StormStage): Promise<Unsettled> {
  const rows = await readLedger(stage)
  const redis = new Redis(stage.redisUrl)
  try {
    return {
      payments: rows.filter(({ state }) => state === 'captured' || state === 'submitted').length,
      // The set that agents look into for what a dead process left.
      responses: await redis.zcard('farebox:saved'),
    }
  } finally {
    redis.disconnect()
  }
}
