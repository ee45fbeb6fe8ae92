import { setTimeout as delay } from 'node:timers/promises'
import type { StormStage } from '../stage/storm-stage.ts'
import { readChain } from './read-chain.ts'

/** Sees money move while a storm is going on. */
export interface ChainWatch {
  /** When a payment was first seen in a block, Unix milliseconds, by authorization: it was there at the latest then. */
  readonly seenMs: ReadonlyMap<string, number>
  /** Looks a last time. */
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 100

/** Begins to watch; what was there before counts as seen now. */
export function watchChain(stage: Pick<StormStage, 'chain' | 'wallet'>): ChainWatch {
  const seenMs = new Map<string, number>()
  let fromBlock = 0n
  const stopping = new AbortController()
  const look = async (): Promise<void> => {
    const { payments } = await readChain(stage, fromBlock)
    const nowMs = Date.now()
    for (const [key, { blockNumber }] of payments) {
      if (!seenMs.has(key)) seenMs.set(key, nowMs)
      // The newest block again: it is whole, but which was the newest is not known from here.
      if (blockNumber > fromBlock) fromBlock = blockNumber
    }
  }
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => undefined)
      await delay(LOOK_EVERY_MS)
    }
  })()
  return {
    seenMs,
    async stop() {
      stopping.abort()
      await watching
      await look()
    },
  }
}
