import { drain, type Drained } from '../flows/drain.ts'
import { openFlowRuns } from '../flows/flow-runs.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median } from '../rounds/statistics.ts'
import { openSchema } from '../stage/open-database.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'

const WORKERS = [1, 2, 4] as const

/** Runs of a flow of three jobs by one worker and by several, on PostgreSQL, with agents and chain as stubs. */
export const flows: Bench = {
  name: 'flows',
  isLong: true,
  async run(stage) {
    const database = await openSchema(stage)
    const runs = await openFlowRuns(stage, database)
    const count = stage.quick ? 100 : 1_000
    const contenders = WORKERS.map((workers): Contender<Drained> => ({
      name: `workers: ${workers}`,
      run: () => drain(stage, runs, database, { count, workers }),
    }))
    const measured = await interleave(contenders, { warmUps: 0, rounds: stage.quick ? 1 : 3 }, stage.tell)
    const of = (workers: number, pick: (drained: Drained) => number): number =>
      median((measured.get(`workers: ${workers}`) ?? []).map(pick))
    const alone = of(1, one => one.perSecond)
    return WORKERS.map((workers): Row => {
      const perSecond = of(workers, one => one.perSecond)
      const server = of(workers, one => one.databaseCpuMsEach)
      const ofDatabase = server > 0 ? `, database ${milliseconds(server)}` : ''
      return {
        what: `${count} runs at once, ${workers} ${workers === 1 ? 'worker' : 'workers'}`,
        ours: rate(perSecond),
        ...(workers > 1 && { peer: { name: 'one worker', figure: rate(alone) }, ratio: perSecond / alone }),
        notes: [`CPU a run ${milliseconds(of(workers, one => one.cpuMsEach))}${ofDatabase}`],
      }
    })
  },
}
