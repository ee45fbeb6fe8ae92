import { DeadlineError, InternalError, type JobContext, type JsonObject } from 'farebox'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { jobName } from '../records/job-records.ts'
import type { Random } from '../seeded-random.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import { NOBODY, SPENDING } from '../workload/cast.ts'
import type { World } from '../build-world.ts'

export interface HandlerPlace {
  readonly world: World
  readonly agent: string
  readonly process: VirtualProcess
  readonly handling: Random
  /** The probability that a run fails. */
  readonly badRunRate: number
}

/** Runs a job as planned, and records that it ran. */
export async function runPlannedHandler(
  { world, agent, process, handling, badRunRate }: HandlerPlace,
  input: JsonObject,
  context: JobContext,
): Promise<JsonObject> {
  const { wires, jobs } = world
  const job = jobName(`${agent}/${context.jobId}`)
  const { runs } = jobs.of(job)
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
    if (plan.tookMs > 0) await process.sleep(plan.tookMs)
  }
  const end = (): void => {
    run.endedMs = wires.time.nowMs()
    run.leftMs = Math.min(leftMs(), leftAtStartMs - (run.endedMs - run.startedMs))
  }
  const spend = async (): Promise<readonly string[]> =>
    context.capability === SPENDING ? await makeSpends(world, job, context).finally(end) : []
  const isFirst = context.capability === SPENDING && handling.chance(0.7)
  const early = isFirst ? await spend() : []
  await work()
  const made = isFirst ? early : await spend()
  end()
  if (plan.ends === 'badly') throw new InternalError(made.length === 0 ? 'it was to fail' : failedAfter(made))
  if (plan.ends === 'with a wrong output') return { text: 7 }
  run.hasReturned = true
  // A second run answers other bytes, so that it is not mistaken for the first.
  return { text: [`${String(input['text'])} by run ${number}`, ...made].join(' ') }
}

/** How long a handler takes for a run, and how it ends. */
function planRun(random: Random, badRunRate: number, remainingMs: number) {
  const tookMs = random.chance(0.4)
    ? 0
    : random.chance(0.7)
      ? random.between(1, 2_500)
      : // Some return at the last moment, and some too late.
        Math.max(1, Math.round(remainingMs * (0.7 + random.next() * 0.5)))
  const ends = random.chance(1 - badRunRate) ? 'well' : random.chance(0.6) ? 'badly' : 'with a wrong output'
  return { tookMs, ends }
}

/** Makes a job's spends, one or two and the same each time it is run, and resolves to their transactions. */
async function makeSpends(world: World, job: string, context: JobContext): Promise<readonly string[]> {
  const drawn = Number.parseInt(context.jobId.slice(0, 4), 16)
  const amounts = [1, 2].slice(0, 1 + (drawn % 2)).map(place => 1_000n + BigInt((drawn >> place) % 8) * 500n)
  world.spends.planned.set(`${job} ${context.payer}`, amounts.length)
  const made: string[] = []
  try {
    for (const amount of amounts) {
      const order = { token: 'USDC', amount: formatUsdc(amount), to: NOBODY }
      const { transaction, resumed } = await context.spend(order)
      if (resumed) world.wires.faults.happened('spends found again')
      made.push(transaction)
    }
  } catch (error) {
    if (made.length === 0 || error instanceof DeadlineError) throw error
    throw new InternalError(failedAfter(made), { cause: error })
  }
  return made
}

/** The handler's own report, to compare with its answer. */
function failedAfter(made: readonly string[]): string {
  return `failed after ${made.length} spends`
}
