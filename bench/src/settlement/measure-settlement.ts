import { cpuMs } from '../rounds/cpu-time.ts'
import { quantile } from '../rounds/statistics.ts'
import type { Stage } from '../stage/stage.ts'
import { awaitMomentOfBlock, readHeight } from './block-chain.ts'
import { settleAtOnce, settleSteadily, verifyAll, type Load, type Settled } from './loads.ts'
import { readBlocksOf, readBlocksUsed } from './read-settled.ts'
import type { SettlementScene } from './settlement-scene.ts'
import { signPayments } from './signed-payments.ts'

/** The result of a load. */
export interface Measured {
  readonly count: number
  /** From the first request to the last answer; the preceding holds of a burst do not count. */
  readonly settledPerSecond: number
  readonly p50Blocks: number
  readonly p99Blocks: number
  readonly paymentsATransaction: number
  readonly gasEach: number
  /** CPU time of a payment, `/verify` and `/settle` together. */
  readonly facilitatorMs: number
  /** 0 if the database is not ours. */
  readonly databaseMs: number
  /** Payments of each block, from the first that has one to the last, including the empty ones between them. */
  readonly blocks: readonly number[]
}

/** The size of the load, and the time limit of the bench. */
export interface Burst {
  readonly count: number
  readonly limitSeconds: number
}

/** Holds all payments first, and then settles all of them at once. */
export async function measureBurst(
  stage: Stage,
  scene: SettlementScene,
  { count, limitSeconds }: Burst,
): Promise<Measured> {
  return await measure(stage, scene, { count, limitSeconds }, async load => {
    await verifyAll(load)
    await load.calls.connect(count)
    // Half of the time between two blocks, which favors neither.
    await awaitMomentOfBlock(scene.chain, 0.5)
    return await settleAtOnce(load)
  })
}

/** Payments that arrive at fixed times, each verified and then settled. */
export async function measureSteady(
  stage: Stage,
  scene: SettlementScene,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Measured> {
  const size = { count: perSecond * seconds, limitSeconds: 2 * seconds + 60 }
  return await measure(stage, scene, size, load => settleSteadily(load, perSecond))
}

/** Signs, runs the load and accounts for every payment. Rejects unless each is on the chain as it was answered. */
async function measure(
  stage: Stage,
  scene: SettlementScene,
  { count, limitSeconds }: Burst,
  run: (load: Load) => Promise<Settled>,
): Promise<Measured> {
  const { chain, calls, groups } = scene
  const payments = await signPayments(stage.crypto, scene.parties, count)
  const firstBlock = (await readHeight(chain)) + 1
  const readCpu = (): readonly [number, number] => [cpuMs(groups.facilitator), cpuMs(groups.database)]
  const before = readCpu()
  const settled = await run({ calls, payments, endMs: performance.now() + 1_000 * limitSeconds })
  const after = readCpu()
  const lastBlock = await readHeight(chain)
  const blocks = await readBlocksOf(chain, payments, settled.transactions)
  const used = await readBlocksUsed(chain, firstBlock, lastBlock)
  const blockMs = 1_000 * chain.blockSeconds
  return {
    count,
    settledPerSecond: (1_000 * count) / (settled.lastAnsweredMs - settled.firstSentMs),
    p50Blocks: quantile(settled.settleMs, 0.5) / blockMs,
    p99Blocks: quantile(settled.settleMs, 0.99) / blockMs,
    paymentsATransaction: count / used.transactions,
    gasEach: used.gas / count,
    facilitatorMs: (after[0] - before[0]) / count,
    databaseMs: (after[1] - before[1]) / count,
    blocks: countByBlock(blocks),
  }
}

function countByBlock(blocks: readonly number[]): readonly number[] {
  const first = Math.min(...blocks)
  const counts = Array.from({ length: Math.max(...blocks) - first + 1 }, () => 0)
  for (const block of blocks) counts[block - first] = (counts[block - first] ?? 0) + 1
  return counts
}
