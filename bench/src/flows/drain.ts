import { setTimeout as delay } from 'node:timers/promises'
import { cpuMs, type ProcessGroup } from '../rounds/cpu-time.ts'
import { quantile } from '../rounds/statistics.ts'
import type { Stage } from '../stage/stage.ts'
import type { FlowContender, Progress } from './flow-contenders.ts'
import { startWorkers, type Workers } from './worker-processes.ts'

/** How so many runs went that were all there at the beginning. */
export interface Drained {
  readonly perSecond: number
  /** Of the workers, for a run. */
  readonly cpuMsEach: number
  /** Of the database, for a run; 0 where its processes are not ours to look at. */
  readonly databaseCpuMsEach: number
  /** Until so many of a hundred were done. */
  readonly p95Ms: number
}

/** What is measured. */
export interface DrainOptions {
  readonly runs: number
  readonly workers: number
}

const LOOK_EVERY_MS = 100
/** With nothing done for so long, the rest is given up. */
const STUCK_MS = 60_000

/** Runs that the workers do before anything is measured, all together: their code is compiled then, and their statements planned. */
const WARM_UP_RUNS = 100

async function warmUp(contender: FlowContender, workers: Workers): Promise<void> {
  await contender.begin(WARM_UP_RUNS)
  workers.go()
  const untilMs = Date.now() + STUCK_MS
  while ((await contender.progress()).done < WARM_UP_RUNS) {
    if (Date.now() > untilMs)
      throw new Error(`${contender.name}: nothing to warm up with is done\n${workers.lastWords()}`)
    await delay(LOOK_EVERY_MS)
  }
  await workers.rest()
}

/** Has all runs done that {@link FlowContender.begin} has written down. */
export async function drain(
  stage: Stage,
  contender: FlowContender,
  database: ProcessGroup,
  { runs, workers: count }: DrainOptions,
): Promise<Drained> {
  const workers = await startWorkers(stage, contender.program, count, contender.environment)
  await warmUp(contender, workers)
  await contender.begin(runs)
  const before = { workers: workers.cpuMs(), database: cpuMs(database) }
  const goMs = Date.now()
  workers.go()
  let newest: Progress = await contender.progress()
  let movedMs = goMs
  while (newest.done < runs && Date.now() - movedMs < STUCK_MS) {
    await delay(LOOK_EVERY_MS)
    const { jobs } = newest
    newest = await contender.progress()
    if (newest.broken > 0) throw new Error(`${contender.name}: ${newest.broken} runs cannot be done`)
    if (newest.jobs > jobs) movedMs = Date.now()
  }
  const after = { workers: workers.cpuMs(), database: cpuMs(database) }
  await workers.stop()
  if (newest.done < runs)
    throw new Error(
      `${contender.name} ×${count}: ${newest.done} of ${runs} runs were done\n${workers.lastWords()}`,
    )
  const beganMs = newest.beganAtMs ?? goMs
  const lastMs = Math.max(...newest.doneAtMs)
  return {
    perSecond: newest.done / ((lastMs - beganMs) / 1_000),
    cpuMsEach: (after.workers - before.workers) / newest.done,
    databaseCpuMsEach: (after.database - before.database) / newest.done,
    p95Ms: quantile(
      newest.doneAtMs.map(at => at - beganMs),
      0.95,
    ),
  }
}
