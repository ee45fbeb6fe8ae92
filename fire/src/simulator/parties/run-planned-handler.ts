import { InternalError, type JobContext, type JsonObject } from 'farebox'
import { jobName } from '../records/job-records.ts'
import type { Random } from '../seeded-random.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import { SPENDING } from '../workload/cast.ts'
import type { World } from '../world.ts'
import { failedAfter, makeSpends } from './make-spends.ts'

/** How long a handler takes for a run, and how it ends. */
interface HandlerPlan {
  readonly tookMs: number
  readonly ends: 'well' | 'badly' | 'with a wrong output'
}

/** Where a handler runs. */
export interface HandlerPlace {
  readonly world: World
  readonly agent: string
  readonly process: VirtualProcess
  readonly handling: Random
  /** That a run fails. */
  readonly badRunRate: number
}

/** Does a job as its plan has it, and notes that it did. */
export async function runPlannedHandler(
  { world, agent, process, handling, badRunRate }: HandlerPlace,
  input: JsonObject,
  context: JobContext,
): Promise<JsonObject> {
  const { wires, jobs } = world
  const { runs } = jobs.of(jobName(`${agent}/${context.jobId}`))
  const plan = planRun(handling, badRunRate, context.remainingMs())
  const leftMs = (): number => context.deadline * 1_000 - process.nowMs()
  const leftAtStartMs = leftMs()
  const run = {
    process: process.name,
    startedMs: wires.time.nowMs(),
    endedMs: undefined as number | undefined,
    leftMs: Infinity,
    hasReturned: false,
  }
  runs.push(run)
  const number = runs.length
  wires.trace.note(process.name, () => `handler begins ${context.jobId}, run ${number}, ${plan.tookMs} ms`)
  const work = async (): Promise<void> => {
    if (plan.tookMs > 0) await new Promise<void>(resolve => void process.after(plan.tookMs, resolve))
  }
  const end = (): void => {
    run.endedMs = wires.time.nowMs()
    run.leftMs = Math.min(leftMs(), leftAtStartMs - (run.endedMs - run.startedMs))
  }
  const spend = async (): Promise<readonly string[]> =>
    context.capability === SPENDING ? await makeSpends(world, agent, context).finally(end) : []
  const isFirst = context.capability === SPENDING && handling.chance(0.7)
  const early = isFirst ? await spend() : []
  await work()
  const made = isFirst ? early : await spend()
  end()
  if (plan.ends === 'badly') throw new InternalError(made.length === 0 ? 'it was to fail' : failedAfter(made))
  if (plan.ends === 'with a wrong output') return { text: 7 }
  run.hasReturned = true
  // A second run would answer other bytes: so that nobody takes it for the first.
  return { text: [`${String(input['text'])} by run ${number}`, ...made].join(' ') }
}

function planRun(random: Random, badRunRate: number, remainingMs: number): HandlerPlan {
  const tookMs = random.chance(0.4)
    ? 0
    : random.chance(0.7)
      ? random.between(1, 2_500)
      : // Some return at the last moment, and some too late.
        Math.max(1, Math.round(remainingMs * (0.7 + random.next() * 0.5)))
  const ends = random.chance(1 - badRunRate) ? 'well' : random.chance(0.6) ? 'badly' : 'with a wrong output'
  return { tookMs, ends }
}
