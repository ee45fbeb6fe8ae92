import { interleave } from '../rounds/interleave.ts'
import { createDriver } from '../rounds/drive.ts'
import {
  checkAskedForPayment,
  checkRefused,
  createJobsCheck,
  type CheckAnswers,
} from '../stage/check-answers.ts'
import { forgedJobs, jobsForAnybody, unpaidJobs, type MakeRequests } from '../stage/sign-jobs.ts'
import { startAgent } from '../stage/start-agent.ts'
import {
  startFundedChain,
  startReferenceFacilitator,
  startStubFacilitator,
  startX402Server,
} from '../stage/start-peers.ts'
import type { Server } from '../stage/start-server.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, rate } from '../report/figures.ts'
import { cpuMsEach, measureServer, perCpuSecond } from '../stage/measure-server.ts'

/** Requests that buy nothing: what it costs to ask for a payment, and to refuse a forged one. */
export const unpaidExecute: Bench = {
  name: 'unpaid',
  async run(stage) {
    const facilitator = await startReferenceFacilitator(stage, await startFundedChain(stage))
    const stub = await startStubFacilitator(stage)
    const agent = await startAgent(stage, {
      store: 'memory',
      paid: { facilitatorUrl: stub.url, secret: 'a-secret-of-the-bench' },
    })
    const express = await startX402Server(stage, 'express', facilitator)
    const sides: Sides = {
      agent: { server: agent, facilitator: stub },
      express: { server: express, facilitator },
    }
    const rows = [
      await compare(stage, sides, {
        what: 'unpaid, asked for payment',
        short: 'an unpaid request',
        requests: async () => await Promise.resolve(unpaidJobs()),
        check: checkAskedForPayment,
        counts: { agent: 10_000, express: 2_000 },
        atLeast: 8,
      }),
      await compare(stage, sides, {
        what: 'forged payment, refused',
        short: 'a forged payment',
        requests: url => forgedJobs(stage.crypto, url),
        check: checkRefused,
        counts: { agent: 3_000, express: 150 },
        atLeast: 20,
      }),
    ]
    for (const { url } of [agent, express]) await checkFirstRun(stage, url)
    return rows
  },
}

interface Sides {
  readonly agent: Side
  readonly express: Side
}

interface Side {
  readonly server: Server
  readonly facilitator: Server
}

async function compare(
  stage: Stage,
  sides: Sides,
  asked: {
    readonly what: string
    readonly short: string
    readonly requests: (url: string) => Promise<MakeRequests>
    readonly check: CheckAnswers
    readonly counts: { readonly agent: number; readonly express: number }
    readonly atLeast: number
  },
): Promise<Row> {
  const contenders = await Promise.all(
    (['agent', 'express'] as const).map(async side => {
      const { server, facilitator } = sides[side]
      return measureServer(stage, {
        name: side,
        url: server.url,
        groups: { server: { pids: [server.pid] }, facilitator: { pids: [facilitator.pid] } },
        requests: await asked.requests(server.url),
        check: asked.check,
        count: Math.ceil(asked.counts[side] / (stage.quick ? 4 : 1)),
        connections: 16,
      })
    }),
  )
  const rounds = await interleave(contenders, { warmUps: 2, rounds: stage.quick ? 3 : 7 }, stage.tell)
  const [own, other] = [rounds.get('agent'), rounds.get('express')]
  const [figure, peerFigure] = [perCpuSecond(own, 'server'), perCpuSecond(other, 'server')]
  const together = perCpuSecond(other, 'server', 'facilitator')
  return {
    what: asked.what,
    short: asked.short,
    ours: rate(figure),
    peer: { name: '@x402/express', figure: rate(peerFigure) },
    ratio: figure / peerFigure,
    goal: { atLeast: asked.atLeast },
    ...(cpuMsEach(other, 'facilitator') > 0.05 && {
      notes: [
        `the peer's facilitator spends ${milliseconds(cpuMsEach(other, 'facilitator'))} on each, ours is not asked; ` +
          `both counted: ${rate(together)}, ${(figure / together).toFixed(1)}×`,
      ],
    }),
  }
}

/** After all the refusals a paid job is the first that reaches the handler, and it is done. */
async function checkFirstRun(stage: Stage, url: string): Promise<void> {
  const driver = createDriver(url, 1, { awake: false })
  try {
    const { answers } = await driver.send(await (await jobsForAnybody(stage.crypto, url))(1))
    createJobsCheck({ paid: true })(answers)
  } finally {
    await driver.close()
  }
}
