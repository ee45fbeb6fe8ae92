import { interleave } from '../rounds/interleave.ts'
import { createJobsCheck } from '../stage/check-answers.ts'
import { jobsForAnybody, jobsForFarebox } from '../stage/sign-jobs.ts'
import { startAgent } from '../stage/start-agent.ts'
import {
  startFundedChain,
  startReferenceFacilitator,
  startStubFacilitator,
  startX402Server,
} from '../stage/start-peers.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'
import {
  cpuMsEach,
  measureServer,
  perCpuSecond,
  perSecond,
  type Measured,
  type ServerRound,
} from '../stage/measure-server.ts'

/**
 * A paid job, whole: payment checked, reserved, work done, response saved, charged, answered. Ours asks a
 * facilitator that only says yes, so that the runtime alone is seen; the peers ask the x402 project's own.
 */
export const paidExecute: Bench = {
  name: 'paid',
  async run(stage) {
    const measured = [await ours(stage, 'memory'), await ours(stage, 'lmdb'), ...(await peers(stage))]
    const contenders = measured.map(one => measureServer(stage, one))
    const rounds = await interleave(contenders, { warmUps: 3, rounds: stage.quick ? 3 : 6 }, stage.tell)
    const row = (store: string, peer: string, counted: Counted, atLeast?: number): Row =>
      compare(rounds, { own: `farebox-${store}`, peer, store, counted, atLeast })
    return [
      row('lmdb', 'x402-express', 'with its facilitator', 35),
      row('memory', 'x402-express', 'with its facilitator', 20),
      row('lmdb', 'x402-hono', 'with its facilitator'),
      row('lmdb', 'x402-express', 'server alone'),
      row('memory', 'x402-express', 'server alone'),
    ]
  },
}

const CONNECTIONS = 16

async function ours(stage: Stage, store: 'memory' | 'lmdb'): Promise<Measured> {
  const facilitator = await startStubFacilitator(stage)
  const agent = await startAgent(stage, {
    store,
    paid: { facilitatorUrl: facilitator.url, secret: 'a-secret-of-the-bench' },
  })
  return {
    name: agent.name,
    url: agent.url,
    groups: { server: { pids: [agent.pid] }, facilitator: { pids: [facilitator.pid] } },
    requests: await jobsForFarebox(stage.crypto, agent.url),
    check: createJobsCheck({ paid: true }),
    count: stage.quick ? 500 : 2_000,
    connections: CONNECTIONS,
  }
}

async function peers(stage: Stage): Promise<readonly Measured[]> {
  const chain = await startFundedChain(stage)
  const facilitator = await startReferenceFacilitator(stage, chain)
  return await Promise.all(
    (['express', 'hono'] as const).map(async kind => {
      const server = await startX402Server(stage, kind, facilitator)
      return {
        name: server.name,
        url: server.url,
        groups: { server: { pids: [server.pid] }, facilitator: { pids: [facilitator.pid] } },
        requests: await jobsForAnybody(stage.crypto, server.url),
        check: createJobsCheck({ paid: true }),
        count: stage.quick ? 30 : 80,
        connections: CONNECTIONS,
      }
    }),
  )
}

/** Which CPU time of the peer is counted: its whole side of a payment, or its server's part of it. */
type Counted = 'with its facilitator' | 'server alone'

interface Comparison {
  readonly own: string
  readonly peer: string
  readonly store: string
  readonly counted: Counted
  readonly atLeast: number | undefined
}

function compare(rounds: ReadonlyMap<string, readonly ServerRound[]>, comparison: Comparison): Row {
  const { store, peer, counted, atLeast } = comparison
  const [own, other] = [rounds.get(comparison.own), rounds.get(peer)]
  const figure = perCpuSecond(own, 'server')
  const peerFigure =
    counted === 'server alone' ? perCpuSecond(other, 'server') : perCpuSecond(other, 'server', 'facilitator')
  const each = (side: typeof own, group: string): string => milliseconds(cpuMsEach(side, group))
  return {
    what: `paid execute, ${store}`,
    ...(atLeast !== undefined && { short: `a paid job, ${store}` }),
    ours: rate(figure),
    peer: { name: `@x402/${peer.slice('x402-'.length)}, ${counted}`, figure: rate(peerFigure) },
    ratio: figure / peerFigure,
    goal: atLeast === undefined ? undefined : { atLeast },
    notes:
      counted === 'server alone'
        ? []
        : [
            `CPU a job: ${each(own, 'server')}; ${each(other, 'server')} in the peer's server, ` +
              `${each(other, 'facilitator')} in its facilitator`,
            `wall: ${rate(perSecond(own))} and ${rate(perSecond(other))} over ${CONNECTIONS} connections`,
          ],
  }
}
