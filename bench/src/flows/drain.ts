import { setTimeout as delay } from 'node:timers/promises'
import { startChild } from '@farebox/local/src/processes/child-process'
import { cpuMs } from '../rounds/cpu-time.ts'
import type { OwnSchema } from '../stage/open-database.ts'
import type { Stage } from '../stage/stage.ts'
import { builtFile } from '../stage/start-server.ts'
import type { FlowRuns } from './flow-runs.ts'

/** The result of runs that all existed at the beginning. */
export interface Drained {
  readonly perSecond: number
  /** CPU time of the workers for a run. */
  readonly cpuMsEach: number
  /** CPU time of the database for a run; 0 if its processes cannot be read. */
  readonly databaseCpuMsEach: number
}

/** Runs completed before the measurement: code is compiled and statements are planned by then. */
const WARM_UP_RUNS = 100
const READ_EVERY_MS = 100
const STUCK_MS = 60_000

/** Lets a number of worker processes complete a number of runs. Rejects if they stop before the end. */
export async function drain(
  stage: Stage,
  runs: FlowRuns,
  database: OwnSchema,
  { count, workers: size }: { readonly count: number; readonly workers: number },
): Promise<Drained> {
  await runs.begin(WARM_UP_RUNS + count)
  const workers = await Promise.all(Array.from({ length: size }, () => startWorker(stage, database)))
  const pids = workers.map(({ pid }) => pid)
  const readCpu = (): readonly [number, number] => [cpuMs({ pids }), cpuMs(database.processes)]
  for (const pid of pids) process.kill(pid, 'SIGUSR2')
  const warm = await waitForDone(runs, WARM_UP_RUNS)
  const before = readCpu()
  const done = await waitForDone(runs, WARM_UP_RUNS + count)
  const after = readCpu()
  await Promise.all(workers.map(worker => worker.stop()))
  const [firstMs = 0, lastMs = 0] = [done[WARM_UP_RUNS - 1], done.at(-1)]
  const measured = done.length - warm.length
  return {
    perSecond: (1_000 * count) / (lastMs - firstMs),
    cpuMsEach: (after[0] - before[0]) / measured,
    databaseCpuMsEach: (after[1] - before[1]) / measured,
  }
}

async function startWorker(
  stage: Stage,
  { url, schema }: OwnSchema,
): Promise<Awaited<ReturnType<typeof startChild<true>>>> {
  const worker = await startChild({
    command: process.execPath,
    arguments: ['--conditions=@farebox/built', builtFile('flows/worker.js')],
    environment: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      DATABASE_URL: url,
      DATABASE_SCHEMA: schema,
    },
    readReady: line => (line === 'ready' ? true : undefined),
  })
  stage.onStrike(() => worker.stop())
  return worker
}

async function waitForDone(runs: FlowRuns, count: number): Promise<readonly number[]> {
  let done = await runs.readDone()
  let movedMs = performance.now()
  while (done.length < count) {
    if (performance.now() - movedMs > STUCK_MS) throw new Error(`${done.length} of ${count} runs were done`)
    await delay(READ_EVERY_MS)
    const now = await runs.readDone()
    if (now.length > done.length) movedMs = performance.now()
    done = now
  }
  return done
}
