import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { HANG_MS } from '../stage/managed-process.ts'
import type { Stage } from '../stage/stage.ts'
import { readLedger } from './check-ledger.ts'

/** What is not decided yet. */
export interface Unsettled {
  /** Payments that the facilitators have taken and not concluded. */
  readonly payments: number
  /** Responses that an agent has saved and not proven paid. */
  readonly responses: number
}

const READ_EVERY_MS = 250

/** Waits until nothing is in doubt any more, for ten minutes at most; resolves to what still is. */
export async function awaitCalm(stage: Stage, signal: AbortSignal): Promise<Unsettled> {
  const giveUpMs = performance.now() + HANG_MS
  for (;;) {
    const unsettled = await countUnsettled(stage)
    const isCalm = unsettled.payments === 0 && unsettled.responses === 0
    if (isCalm || signal.aborted || performance.now() > giveUpMs) return unsettled
    await delay(READ_EVERY_MS)
  }
}

async function countUnsettled(stage: Stage): Promise<Unsettled> {
  const rows = await readLedger(stage)
  const redis = new Redis(stage.redisUrl)
  try {
    // The sets in which agents find what a dead process left.
    const saved = await Promise.all([...stage.stores].map(store => redis.zcard(`${store}:saved`)))
    return {
      payments: rows.filter(({ state }) => state === 'captured' || state === 'submitted').length,
      responses: saved.reduce((sum, count) => sum + count, 0),
    }
  } finally {
    redis.disconnect()
  }
}
