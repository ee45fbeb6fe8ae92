import type { Bench } from '../report/bench.ts'
import { blockRows, type KeyBurst } from '../settlement/block-rows.ts'
import { measureBurst, measureSteady, type Measured } from '../settlement/measure-settlement.ts'
import { startReferenceScene, startSettlementScene } from '../settlement/settlement-scene.ts'
import { openDatabase, type SceneDatabase } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'

const BLOCK_SECONDS = 2
const LIMIT_SECONDS = 90

/** The size of each load. */
interface Loads {
  /** Relayer keys of the one facilitator; a single key comes first. */
  readonly keys: readonly number[]
  readonly burst: number
  readonly steadySeconds: number
  /** The limits of the peer. */
  readonly peerBurst: number
}

const FULL: Loads = { keys: [1, 2, 4], burst: 4_000, steadySeconds: 30, peerBurst: 200 }
const QUICK: Loads = { keys: [1], burst: 400, steadySeconds: 4, peerBurst: 20 }

/**
 * Settlement on a chain that makes a block every two seconds: our facilitator, in its own process, with one relayer key
 * and with several, and the x402 project's facilitator on the same kind of blocks.
 */
export const blocks: Bench = {
  name: 'blocks',
  isLong: true,
  async run(stage) {
    const loads = stage.quick ? QUICK : FULL
    const database = await openDatabase(stage)
    const bursts: KeyBurst[] = []
    for (const keys of loads.keys) bursts.push(await measureKeys(stage, database, { keys, loads }))
    return blockRows(bursts, await measurePeer(stage, loads.peerBurst))
  },
}

async function measureKeys(
  stage: Stage,
  database: SceneDatabase,
  { keys, loads }: { readonly keys: number; readonly loads: Loads },
): Promise<KeyBurst> {
  const scene = await startSettlementScene(stage, database, { blockSeconds: BLOCK_SECONDS, keys })
  stage.tell(`a burst of ${loads.burst}, keys: ${keys}`)
  const burst = await measureBurst(stage, scene, { count: loads.burst, limitSeconds: LIMIT_SECONDS })
  stage.tell(`100 a second, keys: ${keys}`)
  const steady = await measureSteady(stage, scene, { perSecond: 100, seconds: loads.steadySeconds })
  await scene.close()
  return { keys, burst, steady }
}

async function measurePeer(stage: Stage, count: number): Promise<Measured> {
  stage.tell(`x402: a burst of ${count}`)
  const scene = await startReferenceScene(stage, BLOCK_SECONDS)
  const measured = await measureBurst(stage, scene, { count, limitSeconds: LIMIT_SECONDS })
  await scene.close()
  return measured
}
