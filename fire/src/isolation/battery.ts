import type { Battery, BatteryResult, BatteryRun, Score } from '../battery.ts'
import { createRandom, type Random } from '../simulator/seeded-random.ts'
import { HANDLER_KINDS, type HandlerKind } from './misbehaving-handlers.ts'
import { watchHealth } from './watch-health.ts'
import { startIsolatedAgent, type IsolatedAgent } from './isolated-agent.ts'

const JOBS = { full: 10_000, small: 100 } as const
const AT_ONCE = 16
const MOST_FINDINGS = 50
const TARGET_LATE_MS = 100
const TARGET_HEALTH_MS = 100

/** S10, DDL-04, DDL-09: handlers that block, break and use up, each in a process of its own. */
export const isolation: Battery = {
  name: 'isolation',
  does: 'handlers that block, throw astray, exit and use up memory, in isolation: each harms its own job alone',
  run,
}

interface Visit {
  readonly handler: HandlerKind
  readonly status: number
  /** Of the answer, after the deadline. */
  readonly lateMs: number
  readonly body: string
}

async function run({ size, seed, signal, progress }: BatteryRun): Promise<BatteryResult> {
  const of = JOBS[size]
  const random = createRandom(seed).fork('isolation')
  progress({ doing: 'starting the agent', done: 0, of })
  const agent = await startIsolatedAgent()
  const kill = (): void => agent.kill()
  signal.addEventListener('abort', kill)
  try {
    const health = watchHealth(agent.url)
    const visits = await visitAll(agent, { random, of, signal, progress })
    const healthMs = await health.stop()
    const isAlive = agent.isAlive()
    const { code, left } = await agent.stop()
    return score(visits, healthMs, { isAlive, code, left })
  } finally {
    signal.removeEventListener('abort', kill)
    agent.kill()
  }
}

/** So many at a time: whoever is answered asks for the next. */
async function visitAll(
  agent: IsolatedAgent,
  run: {
    readonly random: Random
    readonly of: number
  } & Pick<BatteryRun, 'signal' | 'progress'>,
): Promise<readonly Visit[]> {
  const { random, of, signal, progress } = run
  const bag = HANDLER_KINDS.flatMap(handler => Array<HandlerKind>(handler.weight).fill(handler))
  // Each kind once at least.
  const remaining = Array.from({ length: of }, (_, index) => HANDLER_KINDS[index] ?? random.pick(bag))
  const visits: Visit[] = []
  const walk = async (): Promise<void> => {
    for (let handler = remaining.pop(); handler !== undefined && !signal.aborted; handler = remaining.pop()) {
      visits.push(await visit(agent.url, handler, random.uuid()))
      progress({ doing: 'jobs', done: visits.length, of })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, walk))
  return visits
}

async function visit(url: string, handler: HandlerKind, jobId: string): Promise<Visit> {
  const deadline = Date.now() / 1_000 + handler.deadlineSeconds
  try {
    const response = await fetch(`${url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        service_version: '1.0',
        job_id: jobId,
        task: { input: { handler: handler.name } },
        deadline,
      }),
    })
    const body = await response.text()
    return { handler, status: response.status, lateMs: Date.now() - deadline * 1_000, body }
  } catch (error) {
    return { handler, status: 0, lateMs: 0, body: String(error) }
  }
}

function score(
  visits: readonly Visit[],
  healthMs: readonly number[],
  end: { readonly isAlive: boolean; readonly code: number | null; readonly left: number },
): BatteryResult {
  const wrong = visits.filter(({ handler, status }) => !handler.statuses.some(earned => earned === status))
  const lateMs = quantile(
    visits.filter(({ status }) => status === 408).map(visit => visit.lateMs),
    0.99,
  )
  const lateCompletions = visits.filter(({ status, lateMs: ms }) => status === 200 && ms > 0).length
  const slowestMs = quantile(healthMs, 0.99)
  const scores: Score[] = [
    {
      test: `${visits.length.toLocaleString('en')} jobs of ${HANDLER_KINDS.length} kinds of handlers, ${AT_ONCE} at a time`,
      reached: `${wrong.length} answered in another way than their own handler earns`,
      target: '0',
      isMet: wrong.length === 0,
    },
    {
      test: '408 after the deadline, p99',
      reached: `${Math.round(lateMs)} ms`,
      target: `< ${TARGET_LATE_MS} ms`,
      isMet: lateMs < TARGET_LATE_MS,
    },
    {
      test: '200 after the deadline',
      reached: String(lateCompletions),
      target: '0',
      isMet: lateCompletions === 0,
    },
    {
      test: `/health meanwhile, ${healthMs.length.toLocaleString('en')} times, p99`,
      reached: `${slowestMs.toFixed(1)} ms`,
      target: `< ${TARGET_HEALTH_MS} ms`,
      isMet: slowestMs < TARGET_HEALTH_MS,
    },
    {
      test: 'the agent afterwards',
      reached: `${end.isAlive ? 'alive' : 'dead'}, exit code ${end.code}, ${end.left} processes left`,
      target: 'alive, exit code 0, 0 processes left',
      isMet: end.isAlive && end.code === 0 && end.left === 0,
    },
  ]
  return { scores, findings: wrong.slice(0, MOST_FINDINGS).map(tellVisit) }
}

function tellVisit({ handler, status, lateMs, body }: Visit): string {
  return `${handler.name}: ${status} in place of ${handler.statuses.join(' or ')}, ${Math.round(lateMs)} ms after its deadline: ${body.slice(0, 200)}`
}

/** Of nothing, infinity: what was not measured is not met. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.POSITIVE_INFINITY
}
