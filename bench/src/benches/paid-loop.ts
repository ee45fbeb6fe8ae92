import { compareBuilds } from '../older/compare-builds.ts'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import type { ProcessGroup } from '../rounds/cpu-time.ts'
import { interleave } from '../rounds/interleave.ts'
import { median, quantile } from '../rounds/statistics.ts'
import { CURRENT, type Build } from '../stage/build.ts'
import { createJobsCheck } from '../stage/check-answers.ts'
import { openDatabase } from '../stage/open-database.ts'
import { jobsForAnybody, jobsForFarebox } from '../stage/sign-jobs.ts'
import { startPaidPath } from '../stage/start-paid-path.ts'
import { startFundedChain, startReferenceFacilitator, startX402Server } from '../stage/start-peers.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'
import {
  cpuMsEach,
  measureServer,
  perCpuSecond,
  roundPerCpuSecond,
  perSecond,
  type Measured,
  type ServerRound,
} from '../stage/measure-server.ts'

/** All options except the concurrency and the number of rounds. */
type Loop = Omit<Measured, 'count' | 'connections'>

/** The concurrency: a single caller, some, and as many as a busy agent has. */
const CONNECTIONS = [1, 16, 64] as const
/** Requests of a round. */
const OURS: PerConnections = { 1: 100, 16: 400, 64: 1_200 }
const PEERS: PerConnections = { 1: 25, 16: 80, 64: 160 }

type Connections = (typeof CONNECTIONS)[number]
type PerConnections = { readonly [Count in Connections]: number }

/**
 * A paid job through our agent and facilitator, against the x402 project's server and facilitator; each on its own
 * chain.
 */
export const paidLoop: Bench = {
  name: 'loop',
  async run(stage) {
    const [ours, peer] = [await fareboxLoop(stage, CURRENT), await x402Loop(stage)]
    const contenders = [...atEach(stage, ours, OURS), ...atEach(stage, peer, PEERS)]
    const rounds = await interleave(contenders, { warmUps: 2, rounds: stage.quick ? 2 : 5 }, stage.tell)
    const row = (connections: Connections, atLeast?: number): Row => {
      const sides = [ours, peer].map(({ name }) => ({
        name,
        rounds: rounds.get(nameAt(name, connections)),
      }))
      const [figure = 0, peerFigure = 0] = sides.map(side =>
        perCpuSecond(side.rounds, 'server', 'facilitator'),
      )
      return {
        what: `paid execute and facilitator, ${connections} at once`,
        ...(atLeast !== undefined && { short: 'whole loop, 64 at once' }),
        ours: rate(figure),
        peer: { name: '@x402/hono', figure: rate(peerFigure) },
        ratio: figure / peerFigure,
        goal: atLeast === undefined ? undefined : { atLeast },
        notes: sides.flatMap(side => [
          `${side.name}: ${describeCpu(side.rounds)}`,
          `${side.name}: ${describeTimes(side.rounds)}`,
        ]),
      }
    }
    const alone = [ours, peer].map(
      ({ name }) => `${name}, 1 at once: ${describeTimes(rounds.get(nameAt(name, 1)))}`,
    )
    const some = row(16)
    return [row(64, 10), { ...some, notes: [...(some.notes ?? []), ...alone] }]
  },
  async against(stage, older) {
    const loops = [await fareboxLoop(stage, CURRENT), await fareboxLoop(stage, older)]
    const contenders = loops.flatMap(loop => atEach(stage, loop, OURS))
    const rounds = await interleave(contenders, { warmUps: 2, rounds: stage.quick ? 4 : 10 }, stage.tell)
    return CONNECTIONS.map(connections => {
      const [current = [], other = []] = loops.map(({ name }) => rounds.get(nameAt(name, connections)) ?? [])
      const rates = (side: readonly ServerRound[]): readonly number[] =>
        side.map(round => roundPerCpuSecond(round, 'server', 'facilitator'))
      return compareBuilds(
        { current: rates(current), older: rates(other) },
        {
          what: `paid execute and facilitator, ${connections} at once`,
          better: 'more',
          olderName: older.name,
          format: rate,
          notes: [
            `now: ${describeCpu(current)}`,
            `now: ${describeTimes(current)}`,
            `${older.name}: ${describeCpu(other)}`,
            `${older.name}: ${describeTimes(other)}`,
          ],
        },
      )
    })
  },
}

function atEach(
  stage: Stage,
  loop: Loop,
  counts: PerConnections,
): readonly ReturnType<typeof measureServer>[] {
  return CONNECTIONS.map(connections => at(stage, loop, connections, counts[connections]))
}

function nameAt(name: string, connections: number): string {
  return `${name} ×${connections}`
}

function at(stage: Stage, loop: Loop, connections: number, count: number): ReturnType<typeof measureServer> {
  const scaled = Math.ceil(count / (stage.quick ? 4 : 1))
  return measureServer(stage, {
    ...loop,
    name: nameAt(loop.name, connections),
    connections,
    count: scaled,
    awake: false,
  })
}

async function fareboxLoop(stage: Stage, build: Build): Promise<Loop> {
  const chain = await startFundedChain(stage)
  const database = await openDatabase(stage)
  const { agent, facilitator } = await startPaidPath(stage, { chain, database, build })
  return {
    name: build.name,
    url: agent.url,
    groups: groups(agent.pid, facilitator.pid, chain, database.processes),
    requests: await jobsForFarebox(stage.crypto, agent.url),
    check: createJobsCheck(),
  }
}

async function x402Loop(stage: Stage): Promise<Loop> {
  const chain = await startFundedChain(stage)
  const facilitator = await startReferenceFacilitator(stage, chain)
  const server = await startX402Server(stage, facilitator)
  return {
    name: server.name,
    url: server.url,
    groups: groups(server.pid, facilitator.pid, chain, { pids: [] }),
    requests: await jobsForAnybody(stage.crypto, server.url),
    check: createJobsCheck(),
  }
}

function groups(
  server: number,
  facilitator: number,
  chain: LocalChain,
  database: ProcessGroup,
): Loop['groups'] {
  return {
    server: { pids: [server] },
    facilitator: { pids: [facilitator] },
    chain: { pids: [chain.pid] },
    database,
  }
}

function describeCpu(rounds: readonly ServerRound[] | undefined): string {
  const each = (group: string): string => milliseconds(cpuMsEach(rounds, group))
  const database = cpuMsEach(rounds, 'database') > 0 ? `, database ${each('database')}` : ''
  return `CPU a job: server ${each('server')}, facilitator ${each('facilitator')}; apart from the goal: chain ${each('chain')}${database}`
}

function describeTimes(rounds: readonly ServerRound[] | undefined): string {
  const latency = (share: number): string =>
    milliseconds(median((rounds ?? []).map(({ latenciesMs }) => quantile(latenciesMs, share))))
  return `${rate(perSecond(rounds))} on the wall, p50 ${latency(0.5)}, p99 ${latency(0.99)}`
}
