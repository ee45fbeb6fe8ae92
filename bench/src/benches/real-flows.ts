import { startRealEconomy } from '../flows/real-economy.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median, quantile } from '../rounds/statistics.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'

/** Runs of a flow of three real agents, paid on a real chain. */
export const realFlows: Bench = {
  name: 'flows-real',
  isLong: true,
  run: measureReal,
}

/** Real agents, facilitator and chain: how long a run takes, beside a program that calls the same agents itself. */
async function measureReal(stage: Stage): Promise<readonly Row[]> {
  const economy = await startRealEconomy(stage)
  const rows: Row[] = []
  for (const atOnce of [1, 10]) {
    const count = stage.quick ? atOnce : 5 * atOnce
    const timed = (name: string, work: () => Promise<void>): Contender<Timed> => ({
      name,
      run: async () => await timeAll(work, { count, atOnce }),
    })
    const each = [timed('run', economy.run), timed('calls', economy.callEach)]
    const measured = await interleave(each, { warmUps: 1, rounds: stage.quick ? 2 : 5 }, stage.tell)
    const [ours, peer] = [measured.get('run') ?? [], measured.get('calls') ?? []]
    const p50 = (rounds: readonly Timed[]): number => median(rounds.flatMap(({ eachMs }) => eachMs))
    const note = (name: string, rounds: readonly Timed[]): string =>
      `${name}: ${rate(median(rounds.map(one => one.perSecond)))}, p95 ${milliseconds(
        quantile(
          rounds.flatMap(({ eachMs }) => eachMs),
          0.95,
        ),
      )}`
    rows.push({
      what: `a run of three real agents, ${atOnce} at once`,
      ours: milliseconds(p50(ours)),
      peer: { name: 'the same agents called one by one', figure: milliseconds(p50(peer)) },
      ratio: p50(ours) / p50(peer),
      goal: undefined,
      notes: [note('runFlow, from the first price to the output', ours), note('execute, three times', peer)],
    })
  }
  return rows
}

interface Timed {
  readonly eachMs: readonly number[]
  readonly perSecond: number
}

async function timeAll(
  work: () => Promise<void>,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
): Promise<Timed> {
  const eachMs: number[] = []
  const startedMs = performance.now()
  let left = count
  const one = async (): Promise<void> => {
    while (left-- > 0) {
      const beganMs = performance.now()
      await work()
      eachMs.push(performance.now() - beganMs)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return { eachMs, perSecond: (1_000 * count) / (performance.now() - startedMs) }
}
