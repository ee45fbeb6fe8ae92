import { setTimeout as delay } from 'node:timers/promises'
import { compareBuilds } from '../older/compare-builds.ts'
import type { Bench } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'
import { limitRow } from '../report/limit-row.ts'
import { createDriver } from '../rounds/drive.ts'
import { interleave, type Contender } from '../rounds/interleave.ts'
import { median, quantile } from '../rounds/statistics.ts'
import { createJobsCheck } from '../stage/check-answers.ts'
import { CURRENT, type Build } from '../stage/build.ts'
import { openDatabase, type SceneDatabase } from '../stage/open-database.ts'
import { jobsForAnybody, jobsForFarebox, type MakeRequests } from '../stage/sign-jobs.ts'
import { startPaidPath } from '../stage/start-paid-path.ts'
import { startFundedChain, startReferenceFacilitator, startX402Server } from '../stage/start-peers.ts'
import type { Stage } from '../stage/stage.ts'

/** One paid job at a time, with real parts, on a chain that makes a block at once: its duration. */
export const oneJob: Bench = {
  name: 'one-job',
  async run(stage) {
    const rounds = { warmUps: 1, rounds: stage.quick ? 2 : 5 }
    const database = await openDatabase(stage)
    const contenders = [await ours(stage, database, CURRENT), await peer(stage)]
    const measured = await interleave(contenders, rounds, stage.tell)
    const timesOf = (name: string): readonly number[] => (measured.get(name) ?? []).flat()
    const [own, other] = [timesOf(CURRENT.name), timesOf('x402-hono')]
    const p50 = median(own)
    return [
      limitRow({
        what: 'a paid job alone, p50',
        value: p50,
        limit: { atMost: P50_LIMIT_MS },
        format: milliseconds,
        notes: [`${own.length} jobs, p95 ${milliseconds(quantile(own, 0.95))}`],
      }),
      {
        what: 'a paid job alone, p50, beside the peer',
        short: 'a paid job alone',
        ours: milliseconds(p50),
        peer: { name: '@x402/hono with its facilitator', figure: milliseconds(median(other)) },
        ratio: median(other) / p50,
        notes: [`p95 of the peer: ${milliseconds(quantile(other, 0.95))}`],
      },
    ]
  },
  async against(stage, older) {
    const database = await openDatabase(stage)
    const contenders = [await ours(stage, database, CURRENT), await ours(stage, database, older)]
    const measured = await interleave(contenders, { warmUps: 1, rounds: stage.quick ? 4 : 12 }, stage.tell)
    const p50s = ({ name }: Build): readonly number[] => (measured.get(name) ?? []).map(median)
    return [
      compareBuilds(
        { current: p50s(CURRENT), older: p50s(older) },
        { what: 'a paid job alone, p50', better: 'less', olderName: older.name, format: milliseconds },
      ),
    ]
  },
}

const P50_LIMIT_MS = 12
const JOBS_A_ROUND = 50
/** A job is alone if the previous one has ended everywhere. */
const PAUSE_MS = 10
/** Servers are slow until their code is compiled. */
const WARM_UP_JOBS = 400
const WARM_UP_CONNECTIONS = 8

async function ours(
  stage: Stage,
  database: SceneDatabase,
  build: Build,
): Promise<Contender<readonly number[]>> {
  const chain = await startFundedChain(stage)
  const { agent } = await startPaidPath(stage, { chain, database, build })
  return await jobsAlone(stage, build.name, {
    url: agent.url,
    requests: await jobsForFarebox(stage.crypto, agent.url),
  })
}

async function peer(stage: Stage): Promise<Contender<readonly number[]>> {
  const facilitator = await startReferenceFacilitator(stage, await startFundedChain(stage))
  const { name, url } = await startX402Server(stage, facilitator)
  return await jobsAlone(stage, name, { url, requests: await jobsForAnybody(stage.crypto, url) })
}

/** Warms a server up under load, and creates the contender that sends it one job after another. */
async function jobsAlone(
  stage: Stage,
  name: string,
  { url, requests }: { readonly url: string; readonly requests: MakeRequests },
): Promise<Contender<readonly number[]>> {
  const check = createJobsCheck()
  stage.tell(`warming up ${name}`)
  const many = createDriver(url, WARM_UP_CONNECTIONS, { awake: false })
  stage.onStrike(() => many.close())
  check((await many.send(await requests(WARM_UP_JOBS / (stage.quick ? 4 : 1)))).answers)
  const driver = createDriver(url, 1, { awake: false })
  stage.onStrike(() => driver.close())
  return {
    name,
    async run() {
      const timesMs: number[] = []
      for (const request of await requests(stage.quick ? 20 : JOBS_A_ROUND)) {
        await delay(PAUSE_MS)
        const beginMs = performance.now()
        const { answers } = await driver.send([request])
        timesMs.push(performance.now() - beginMs)
        check(answers)
      }
      return timesMs
    },
  }
}
