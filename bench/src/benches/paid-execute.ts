import { interleave } from '../rounds/interleave.ts'
import type { Bench } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'
import { createJobsCheck } from '../stage/check-answers.ts'
import { cpuMsEach, measureServer, perCpuSecond, type Measured } from '../stage/measure-server.ts'
import { jobsForAnybody, jobsForFarebox } from '../stage/sign-jobs.ts'
import { startAgent } from '../stage/start-agent.ts'
import {
  startFundedChain,
  startReferenceFacilitator,
  startStubFacilitator,
  startX402Server,
} from '../stage/start-peers.ts'
import type { Stage } from '../stage/stage.ts'

/**
 * A paid job through the runtime alone: ours asks a facilitator that accepts at once; the peer needs the x402 project's
 * own.
 */
export const paidExecute: Bench = {
  name: 'paid',
  async run(stage) {
    const contenders = [await ours(stage), await peer(stage)].map(one => measureServer(stage, one))
    const rounds = await interleave(contenders, { warmUps: 3, rounds: stage.quick ? 3 : 6 }, stage.tell)
    const [own, other] = contenders.map(({ name }) => rounds.get(name))
    const [figure, peerFigure] = [perCpuSecond(own, 'server'), perCpuSecond(other, 'server', 'facilitator')]
    const each = (side: typeof own, group: string): string => milliseconds(cpuMsEach(side, group))
    return [
      {
        what: 'paid execute, lmdb',
        short: 'a paid job, lmdb',
        ours: rate(figure),
        peer: { name: '@x402/hono, with its facilitator', figure: rate(peerFigure) },
        ratio: figure / peerFigure,
        goal: { atLeast: 35 },
        notes: [
          `CPU a job: ${each(own, 'server')}; ${each(other, 'server')} in the peer's server, ` +
            `${each(other, 'facilitator')} in its facilitator`,
        ],
      },
    ]
  },
}

async function ours(stage: Stage): Promise<Measured> {
  const facilitator = await startStubFacilitator(stage)
  const agent = await startAgent(stage, {
    paid: { facilitatorUrl: facilitator.url, secret: 'a-secret-of-the-bench' },
  })
  return {
    name: agent.name,
    url: agent.url,
    groups: { server: { pids: [agent.pid] } },
    requests: await jobsForFarebox(stage.crypto, agent.url),
    check: createJobsCheck(),
    count: stage.quick ? 500 : 2_000,
    connections: 16,
  }
}

async function peer(stage: Stage): Promise<Measured> {
  const facilitator = await startReferenceFacilitator(stage, await startFundedChain(stage))
  const server = await startX402Server(stage, facilitator)
  return {
    name: server.name,
    url: server.url,
    groups: { server: { pids: [server.pid] }, facilitator: { pids: [facilitator.pid] } },
    requests: await jobsForAnybody(stage.crypto, server.url),
    check: createJobsCheck(),
    count: stage.quick ? 30 : 80,
    connections: 16,
  }
}
