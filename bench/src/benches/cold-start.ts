import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { request } from 'undici'
import { cpuMs } from '../rounds/cpu-time.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median } from '../rounds/statistics.ts'
import { agentProgram } from '../stage/start-agent.ts'
import { builtFile, spawnServer, stopServer, type ServerProgram } from '../stage/start-server.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'

/** From nothing to the first `GET /health` answered 200: paid, with an lmdb store that is new. */
export const coldStart: Bench = {
  name: 'cold-start',
  async run(stage) {
    // Nobody listens there: an agent does not need its facilitator to start.
    const paid = { facilitatorUrl: 'http://127.0.0.1:9', secret: 'a-secret-of-the-bench' }
    const bare: ServerProgram = { name: 'bare', file: builtFile('peers/bare-echo.js'), environment: {} }
    const contenders = [
      starts(stage, 'farebox', () => agentProgram(stage, { store: 'lmdb', paid })),
      starts(stage, 'bare', () => Promise.resolve(bare)),
    ]
    const rounds = await interleave(contenders, { warmUps: 1, rounds: stage.quick ? 3 : 9 }, stage.tell)
    const [ours, peer] = [rounds.get('farebox') ?? [], rounds.get('bare') ?? []]
    const cpu = (all: readonly Start[]): number => median(all.map(one => one.cpuMs))
    const wall = (all: readonly Start[]): number => median(all.map(one => one.wallMs))
    return [
      {
        what: 'cold start to /health, CPU',
        ours: milliseconds(cpu(ours)),
        peer: { name: 'bare node:http', figure: milliseconds(cpu(peer)) },
        ratio: cpu(ours) / cpu(peer),
        goal: { atMost: 1.7 },
        notes: [`wall: ${milliseconds(wall(ours))} and ${milliseconds(wall(peer))}`],
      },
    ]
  },
}

interface Start {
  readonly cpuMs: number
  readonly wallMs: number
}

/** CPU time is read in steps of 10 ms: a round is the mean of several starts. */
const STARTS_PER_ROUND = 3
const LOOK_EVERY_MS = 3

function starts(stage: Stage, name: string, program: () => Promise<ServerProgram>): Contender<Start> {
  return {
    name,
    async run() {
      let [cpu, wall] = [0, 0]
      for (let start = 0; start < STARTS_PER_ROUND; start += 1) {
        const one = await startOnce(stage, name, await program())
        cpu += one.cpuMs / STARTS_PER_ROUND
        wall += one.wallMs / STARTS_PER_ROUND
      }
      return { cpuMs: cpu, wallMs: wall }
    },
  }
}

async function startOnce(stage: Stage, name: string, program: ServerProgram): Promise<Start> {
  const port = await findFreePort()
  const started = performance.now()
  const child = spawnServer(program, port, join(stage.folder, `${name}-starts.log`))
  try {
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null || performance.now() - started > 20_000)
        throw new Error(`${name} did not start`)
      await delay(LOOK_EVERY_MS)
    }
    return { wallMs: performance.now() - started, cpuMs: cpuMs({ pids: [child.pid ?? 0] }) }
  } finally {
    await stopServer(child)
  }
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/health`, { reset: true })
    const { status } = (await body.json()) as { readonly status: string }
    return statusCode === 200 && status === 'ok'
  } catch {
    return false
  }
}
