import { dbosRuns } from '../flows/dbos-runs.ts'
import { drain, type Drained } from '../flows/drain.ts'
import { fareboxRuns } from '../flows/farebox-runs.ts'
import type { FlowContender } from '../flows/flow-contenders.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median } from '../rounds/statistics.ts'
import { openDatabase, type SceneDatabase } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'

const WORKERS = [1, 2, 4]

/** Runs of a flow of three jobs: on PostgreSQL with agents and chain as stubs. */
export const flows: Bench = {
  name: 'flows',
  isLong: true,
  async run(stage) {
    const database = await openDatabase(stage)
    const [ours, peer] = [await fareboxRuns(database.url), await dbosRuns(database.url)]
    stage.onStrike(() => Promise.all([ours.close(), peer.close()]))
    const means = { stage, database, contenders: [ours, peer] as const }
    const few = await measureDrains(means, { runs: stage.quick ? 60 : 100, rounds: stage.quick ? 1 : 3 })
    const many = await measureDrains(means, { runs: stage.quick ? 200 : 1_000, rounds: 1 })
    return [...few, ...many]
  },
}

interface Means {
  readonly stage: Stage
  readonly database: SceneDatabase
  readonly contenders: readonly [FlowContender, FlowContender]
}

async function measureDrains(
  { stage, database, contenders }: Means,
  { runs, rounds }: { readonly runs: number; readonly rounds: number },
): Promise<readonly Row[]> {
  const each = WORKERS.flatMap(workers =>
    contenders.map((contender): Contender<Drained> => ({
      name: `${contender.name} ×${workers}`,
      run: () => drain(stage, contender, database.processes, { runs, workers }),
    })),
  )
  const measured = await interleave(each, { warmUps: 0, rounds }, stage.tell)
  return WORKERS.map(workers => rowOf(contenders, measured, { workers, runs }))
}

function rowOf(
  [ours, peer]: Means['contenders'],
  measured: ReadonlyMap<string, readonly Drained[]>,
  { workers, runs }: { readonly workers: number; readonly runs: number },
): Row {
  const of = ({ name }: FlowContender, pick: (drained: Drained) => number): number =>
    median((measured.get(`${name} ×${workers}`) ?? []).map(pick))
  const perSecond = (contender: FlowContender): number => of(contender, one => one.perSecond)
  const note = (contender: FlowContender): string => {
    const server = of(contender, one => one.databaseCpuMsEach)
    const database = server > 0 ? `, database ${milliseconds(server)}` : ''
    const cpu = milliseconds(of(contender, one => one.cpuMsEach))
    return `${contender.name}: CPU a run ${cpu}${database}; 95 of 100 done after ${milliseconds(of(contender, one => one.p95Ms))}`
  }
  return {
    what: `${runs} runs at once, ${workers} ${workers === 1 ? 'worker' : 'workers'}`,
    ours: rate(perSecond(ours)),
    peer: { name: peer.name, figure: rate(perSecond(peer)) },
    ratio: perSecond(ours) / perSecond(peer),
    notes: [note(ours), note(peer)],
  }
}
