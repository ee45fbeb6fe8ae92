import { interleave } from '../rounds/interleave.ts'
import { createJobsCheck } from '../stage/check-answers.ts'
import { unpaidJobs } from '../stage/sign-jobs.ts'
import { startAgent } from '../stage/start-agent.ts'
import { startBareEcho } from '../stage/start-peers.ts'
import type { Bench } from '../report/bench.ts'
import { rate } from '../report/figures.ts'
import { measureServer, perCpuSecond, perSecond } from '../stage/measure-server.ts'

/** A job without payment: what the runtime itself costs beside Node's HTTP server. */
export const devExecute: Bench = {
  name: 'dev',
  async run(stage) {
    const servers = [await startAgent(stage, { store: 'memory' }), await startBareEcho(stage)]
    const [ours = '', bare = ''] = servers.map(({ name }) => name)
    const rounds = await interleave(
      servers.map(({ name, url, pid }) =>
        measureServer(stage, {
          name,
          url,
          groups: { server: { pids: [pid] } },
          requests: unpaidJobs(),
          check: createJobsCheck({ paid: false }),
          count: stage.quick ? 2_000 : 6_000,
          connections: 16,
        }),
      ),
      { warmUps: 2, rounds: stage.quick ? 3 : 9 },
      stage.tell,
    )
    const [figure, peerFigure] = [
      perCpuSecond(rounds.get(ours), 'server'),
      perCpuSecond(rounds.get(bare), 'server'),
    ]
    return [
      {
        what: 'dev-mode execute',
        ours: rate(figure),
        peer: { name: 'bare node:http echo', figure: rate(peerFigure) },
        ratio: figure / peerFigure,
        goal: { atLeast: 0.55 },
        notes: [
          `wall: ${rate(perSecond(rounds.get(ours)))} and ${rate(perSecond(rounds.get(bare)))} over 16 connections`,
        ],
      },
    ]
  },
}
