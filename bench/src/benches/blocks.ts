import type { Bench } from '../report/bench.ts'
import { blockRows, type BlockFigures, type KeyFigures } from '../settlement/block-rows.ts'
import { measureBurst, measureSteady } from '../settlement/measure-settlement.ts'
import {
  startReferenceScene,
  startSettlementScene,
  type SettlementScene,
} from '../settlement/settlement-scene.ts'
import { openDatabase } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'

/**
 * Settlement on chains that make their blocks by the clock: our facilitator, a process of its own, with one relayer key
 * and with several, and the x402 project's facilitator on the same kind of blocks.
 */
export const blocks: Bench = {
  name: 'blocks',
  isLong: true,
  async run(stage) {
    const loads = stage.quick ? QUICK : FULL
    const database = await openDatabase(stage)
    const start = (blockSeconds: number, keys: number): Promise<SettlementScene> =>
      startSettlementScene(stage, database, { blockSeconds, keys })
    // One key comes first: what several settle is held against it.
    const allKeys = [1, ...(stage.keys ?? loads.keys).filter(keys => keys > 1)]
    const oneKey = await start(FAST_SECONDS, 1)
    const fast = [await measureKeys(stage, oneKey, { loads, keys: 1 })]
    stage.tell(`20 a second, ${FAST_SECONDS} s blocks`)
    const at20 = await measureSteady(stage, oneKey, { perSecond: 20, seconds: loads.steadySeconds })
    for (const keys of allKeys.slice(1)) {
      fast.push(await measureKeys(stage, await start(FAST_SECONDS, keys), { loads, keys }))
    }
    const slow = await start(loads.slowBlockSeconds, 1)
    stage.tell(`20 a second, ${loads.slowBlockSeconds} s blocks`)
    const slowSteady = await measureSteady(stage, slow, { perSecond: 20, seconds: loads.slowSteadySeconds })
    const slots = []
    for (const keys of allKeys.filter(keys => keys <= 2)) {
      stage.tell(`what fits in a block of ${loads.slowBlockSeconds} s, keys: ${keys}`)
      const scene = keys === 1 ? slow : await start(loads.slowBlockSeconds, keys)
      const burst = { count: keys * loads.slotsOfKey + 100, limitSeconds: SLOW_LIMIT_SECONDS, moment: 0.05 }
      slots.push({ keys, measured: await measureBurst(stage, scene, burst) })
    }
    const figures = { fast, at20, slowSteady, slots, slowBlockSeconds: loads.slowBlockSeconds }
    return blockRows({ ...figures, peer: await measurePeer(stage, loads) })
  },
}

const FAST_SECONDS = 2
const FAST_LIMIT_SECONDS = 90
const SLOW_LIMIT_SECONDS = 120

/** How much of each load. */
interface Loads {
  /** Relayer keys of the one facilitator. */
  readonly keys: readonly number[]
  readonly burst: number
  readonly steadySeconds: number
  readonly slowBlockSeconds: number
  readonly slowSteadySeconds: number
  /** What one key puts into one slow block: 16 transactions of 100 payments. */
  readonly slotsOfKey: number
  /** What the peer can take. */
  readonly peerBurst: number
}

const FULL: Loads = {
  keys: [1],
  burst: 4_000,
  steadySeconds: 30,
  slowBlockSeconds: 12,
  slowSteadySeconds: 72,
  slotsOfKey: 1_600,
  peerBurst: 200,
}

const QUICK: Loads = {
  keys: [1],
  burst: 800,
  steadySeconds: 8,
  slowBlockSeconds: 8,
  slowSteadySeconds: 24,
  slotsOfKey: 1_600,
  peerBurst: 40,
}

async function measureKeys(
  stage: Stage,
  scene: SettlementScene,
  { loads, keys }: { readonly loads: Loads; readonly keys: number },
): Promise<KeyFigures> {
  const tell = (load: string): void => stage.tell(`${load}, ${FAST_SECONDS} s blocks, keys: ${keys}`)
  tell(`a burst of ${loads.burst}`)
  const burst = await measureBurst(stage, scene, { count: loads.burst, limitSeconds: FAST_LIMIT_SECONDS })
  tell('100 a second')
  const at100 = await measureSteady(stage, scene, { perSecond: 100, seconds: loads.steadySeconds })
  return { keys, burst, at100 }
}

async function measurePeer(stage: Stage, loads: Loads): Promise<BlockFigures['peer']> {
  const count = loads.peerBurst
  stage.tell(`x402: a burst of ${count}, ${FAST_SECONDS} s blocks`)
  const fast = await startReferenceScene(stage, FAST_SECONDS)
  const fastBurst = await measureBurst(stage, fast, { count, limitSeconds: FAST_LIMIT_SECONDS })
  stage.tell(`x402: a burst of ${count}, ${loads.slowBlockSeconds} s blocks`)
  const slow = await startReferenceScene(stage, loads.slowBlockSeconds)
  return {
    fast: fastBurst,
    slow: await measureBurst(stage, slow, { count, limitSeconds: SLOW_LIMIT_SECONDS }),
  }
}
