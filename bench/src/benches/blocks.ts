import type { Bench } from '../report/bench.ts'
import { blockRows, type BlockFigures, type KeyFigures, type SlotFigures } from '../settlement/block-rows.ts'
import { measureBurst, measureSteady, type Measured } from '../settlement/measure-settlement.ts'
import {
  startReferenceScene,
  startSettlementScene,
  type SceneSettings,
  type SettlementScene,
} from '../settlement/settlement-scene.ts'
import { openDatabase, type SceneDatabase } from '../stage/open-database.ts'
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
    const means = { stage, database, loads }
    // One key comes first: what several settle is held against it.
    const several = (stage.keys ?? loads.keys).filter(keys => keys > 1)
    const { one, at20 } = await inScene(means, { blockSeconds: FAST_SECONDS, keys: 1 }, async scene => ({
      one: await measureKeys(means, scene, 1),
      at20: await measureWarm(() => measureAt20(means, scene, loads.steadySeconds)),
    }))
    const fast = [one]
    for (const keys of several) {
      const settings = { blockSeconds: FAST_SECONDS, keys }
      fast.push(await inScene(means, settings, scene => measureKeys(means, scene, keys)))
    }
    const { slowBlockSeconds, slowSteadySeconds } = loads
    const slow = { blockSeconds: slowBlockSeconds, keys: 1 }
    const slowSteady = await inScene(means, slow, scene => measureAt20(means, scene, slowSteadySeconds))
    const slots = several.includes(2) ? await measureSlots(means) : undefined
    const peer = await measurePeer(means)
    return blockRows({ fast, at20, slowSteady, slowBlockSeconds, slots, peer })
  },
}

const FAST_SECONDS = 2
const FAST_LIMIT_SECONDS = 90
const SLOW_LIMIT_SECONDS = 150

/** How much of each load. */
interface Loads {
  /** Relayer keys of the one facilitator. */
  readonly keys: readonly number[]
  readonly burst: number
  readonly steadySeconds: number
  readonly slowBlockSeconds: number
  readonly slowSteadySeconds: number
  /** So long that CPU time does not decide what a block holds, but the transactions that a key may have open. */
  readonly slotsBlockSeconds: number
  /** More payments than one key has room for in a block. */
  readonly slotsBurst: number
  /** What the peer can take. */
  readonly peerBurst: number
}

const FULL: Loads = {
  keys: [1, 2, 4],
  burst: 4_000,
  steadySeconds: 30,
  slowBlockSeconds: 12,
  slowSteadySeconds: 72,
  slotsBlockSeconds: 20,
  slotsBurst: 3_500,
  peerBurst: 200,
}

const QUICK: Loads = {
  keys: [1, 2],
  burst: 800,
  steadySeconds: 6,
  slowBlockSeconds: 6,
  slowSteadySeconds: 24,
  slotsBlockSeconds: 10,
  slotsBurst: 3_500,
  peerBurst: 30,
}

interface Means {
  readonly stage: Stage
  readonly database: SceneDatabase
  readonly loads: Loads
}

/** Runs what is measured on a scene of its own. */
async function inScene<T>(
  { stage, database }: Means,
  settings: SceneSettings,
  run: (scene: SettlementScene) => Promise<T>,
): Promise<T> {
  const { blockSeconds, keys } = settings
  stage.tell(`a chain with a block every ${blockSeconds} s, keys: ${keys}`)
  const scene = await startSettlementScene(stage, database, settings)
  const result = await run(scene)
  await scene.close()
  return result
}

async function measureKeys(
  { stage, loads }: Means,
  scene: SettlementScene,
  keys: number,
): Promise<KeyFigures> {
  stage.tell(`a burst of ${loads.burst}, keys: ${keys}`)
  const burst = await measureBurst(stage, scene, { count: loads.burst, limitSeconds: FAST_LIMIT_SECONDS })
  stage.tell(`100 a second, keys: ${keys}`)
  return {
    keys,
    burst,
    at100: await measureSteady(stage, scene, { perSecond: 100, seconds: loads.steadySeconds }),
  }
}

/** The second of two rounds: at a few payments a second it takes half a minute until most of the code is compiled. */
async function measureWarm(round: () => Promise<Measured>): Promise<Measured> {
  await round()
  return await round()
}

async function measureAt20({ stage }: Means, scene: SettlementScene, seconds: number): Promise<Measured> {
  stage.tell(`20 a second, ${scene.chain.blockSeconds} s blocks`)
  return await measureSteady(stage, scene, { perSecond: 20, seconds })
}

/** One key with more payments than it has room for in a block, then two with more than twice that room. */
async function measureSlots(means: Means): Promise<SlotFigures> {
  const { stage, loads } = means
  const blockSeconds = loads.slotsBlockSeconds
  const fill = (keys: number, count: number): Promise<Measured> =>
    inScene(means, { blockSeconds, keys }, async scene => {
      stage.tell(`${count} payments for a block of ${blockSeconds} s, keys: ${keys}`)
      return await measureBurst(stage, scene, { count, limitSeconds: SLOW_LIMIT_SECONDS, moment: 0.02 })
    })
  const one = await fill(1, loads.slotsBurst)
  return { blockSeconds, one, two: await fill(2, Math.ceil(2.3 * Math.max(...one.blocks))) }
}

async function measurePeer({ stage, loads }: Means): Promise<BlockFigures['peer']> {
  const burst = async (blockSeconds: number, limitSeconds: number): Promise<Measured> => {
    stage.tell(`x402: a burst of ${loads.peerBurst}, ${blockSeconds} s blocks`)
    const scene = await startReferenceScene(stage, blockSeconds)
    const measured = await measureBurst(stage, scene, { count: loads.peerBurst, limitSeconds })
    await scene.close()
    return measured
  }
  return {
    fast: await burst(FAST_SECONDS, FAST_LIMIT_SECONDS),
    slow: await burst(loads.slowBlockSeconds, SLOW_LIMIT_SECONDS),
  }
}
