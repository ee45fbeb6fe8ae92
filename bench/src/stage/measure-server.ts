import { cpuMs, type ProcessGroup } from '../rounds/cpu-time.ts'
import { createDriver, type Run } from '../rounds/drive.ts'
import type { Contender } from '../rounds/interleave.ts'
import { median } from '../rounds/statistics.ts'
import type { CheckAnswers } from './check-answers.ts'
import type { MakeRequests } from './sign-jobs.ts'
import type { Stage } from './stage.ts'

/** A server under load, and the processes whose CPU time counts. */
export interface Measured {
  readonly name: string
  readonly url: string
  /** By name: `server`, `facilitator`, … */
  readonly groups: { readonly [group: string]: ProcessGroup }
  readonly requests: MakeRequests
  readonly check: CheckAnswers
  /** Requests a round; chosen so that the contenders' rounds take about the same time. */
  readonly count: number
  readonly connections: number
  /** Default true: see `createDriver`. */
  readonly awake?: boolean
}

/** One round of it. */
export interface ServerRound extends Run {
  readonly count: number
  readonly cpuMs: ReadonlyMap<string, number>
}

/** Creates the contender: requests are signed before the measurement, and answers checked after it. */
export function measureServer(stage: Stage, measured: Measured): Contender<ServerRound> {
  const driver = createDriver(measured.url, measured.connections, { awake: measured.awake ?? true })
  stage.onStrike(() => driver.close())
  const read = (): ReadonlyMap<string, number> =>
    new Map(Object.entries(measured.groups).map(([group, processes]) => [group, cpuMs(processes)]))
  return {
    name: measured.name,
    async run() {
      const requests = await measured.requests(measured.count)
      const before = read()
      const sent = await driver.send(requests)
      const after = read()
      measured.check(sent.answers)
      const spent = new Map([...after].map(([group, ms]) => [group, ms - (before.get(group) ?? 0)]))
      return { ...sent, count: requests.length, cpuMs: spent }
    },
  }
}

/** Requests for each second of CPU time that the groups spent together: the median of the rounds. */
export function perCpuSecond(
  rounds: readonly ServerRound[] | undefined,
  ...groups: readonly string[]
): number {
  return median((rounds ?? []).map(round => roundPerCpuSecond(round, ...groups)))
}

/** The same of one round. */
export function roundPerCpuSecond(round: ServerRound, ...groups: readonly string[]): number {
  return (1_000 * round.count) / groups.reduce((sum, group) => sum + spentBy(round, group), 0)
}

/** CPU time of one group for each request, in milliseconds: the median of the rounds. */
export function cpuMsEach(rounds: readonly ServerRound[] | undefined, group: string): number {
  return median((rounds ?? []).map(round => spentBy(round, group) / round.count))
}

/** Requests per second of wall-clock time: the median of the rounds. */
export function perSecond(rounds: readonly ServerRound[] | undefined): number {
  return median((rounds ?? []).map(({ count, wallMs }) => (1_000 * count) / wallMs))
}

function spentBy({ cpuMs: spent }: ServerRound, group: string): number {
  const ms = spent.get(group)
  if (ms === undefined) throw new Error(`nobody measured ${group}`)
  return ms
}
