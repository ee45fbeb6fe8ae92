import { dbosRuns } from '../flows/dbos-runs.ts'
import { drain, type Drained } from '../flows/drain.ts'
import { engineContenders } from '../flows/engine.ts'
import { fareboxRuns } from '../flows/farebox-runs.ts'
import type { FlowContender } from '../flows/flow-contenders.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median } from '../rounds/statistics.ts'
import { openDatabase, type SceneDatabase } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'

const WORKERS = [1, 2, 4]

/** Runs of a flow of three jobs: the engine alone, and whole runs on PostgreSQL with agents and chain as stubs. */
export const flows: Bench = {
  name: 'flows',
  isLong: true,
  async run(stage) {
    const engine = await measureEngine(stage)
    const database = await openDatabase(stage)
    const [ours, peer] = [await fareboxRuns(database.url), await dbosRuns(database.url)]
    stage.onStrike(() => Promise.all([ours.close(), peer.close()]))
    const means = { stage, database, contenders: [ours, peer] as const }
    const few = await measureDrains(means, { runs: stage.quick ? 60 : 100, rounds: stage.quick ? 1 : 3 })
    const many = await measureDrains(means, { runs: stage.quick ? 200 : 1_000, rounds: 1 })
    const kill = await measureKill(means)
    return [engine, ...few, ...many, kill]
  },
}

async function measureEngine(stage: Stage): Promise<Row> {
  const runs = stage.quick ? 500 : 5_000
  const contenders = await engineContenders(runs)
  const measured = await interleave(contenders, { warmUps: 2, rounds: stage.quick ? 5 : 15 }, stage.tell)
  const [ours, peer] = [median(measured.get('engine') ?? []), median(measured.get('JSON') ?? [])]
  return {
    what: 'a run of three jobs, the engine alone',
    ours: milliseconds(ours),
    peer: { name: 'JSON of its states', figure: milliseconds(peer) },
    ratio: ours / peer,
    goal: undefined,
    notes: [
      `${rate(1_000 / ours)} on one core; the peer writes and reads each of its states as JSON, and does nothing else`,
    ],
  }
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
      run: async () => {
        const drained = await drain(stage, contender, database.processes, { runs, workers })
        if (drained.stuck > 0)
          throw new Error(`${contender.name}: ${drained.stuck} of ${runs} runs are stuck`)
        return drained
      },
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
    goal: undefined,
    notes: [note(ours), note(peer)],
  }
}

/** One of two workers is killed, and another takes its place: of DBOS under the same name, which it needs. */
async function measureKill({ stage, database, contenders }: Means): Promise<Row> {
  const runs = stage.quick ? 100 : 400
  const each = contenders.map((contender): Contender<Drained> => ({
    name: contender.name,
    run: async () => await drain(stage, contender, database.processes, { runs, workers: 2, kill: true }),
  }))
  const measured = await interleave(each, { warmUps: 0, rounds: stage.quick ? 1 : 3 }, stage.tell)
  const [ours, peer] = contenders.map(({ name }) => {
    const drained = measured.get(name) ?? []
    return {
      ms: median(drained.map(one => one.recoveryMs ?? Number.NaN)),
      stuck: drained.map(one => one.stuck),
    }
  })
  if (ours === undefined || peer === undefined) throw new Error('nothing was measured')
  const stuck = `stuck: farebox ${ours.stuck.join(', ')}; ${contenders[1].name} ${peer.stuck.join(', ')}`
  return {
    what: `kill -9 of one of two workers, until all ${runs} runs are done`,
    ours: seconds(ours.ms),
    peer: { name: contenders[1].name, figure: seconds(peer.ms) },
    ratio: ours.ms / peer.ms,
    goal: undefined,
    notes: [stuck],
  }
}

function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : 'never'
}
