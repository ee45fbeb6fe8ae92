import { setTimeout as delay } from 'node:timers/promises'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { drawTimeLine } from '../one-job/draw-time-line.ts'
import { startRecordingProxy } from '../one-job/recording-proxy.ts'
import { middleParts, type SeenJob, type Span } from '../one-job/time-line.ts'
import { compareBuilds } from '../older/compare-builds.ts'
import type { Bench } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'
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

/** One paid job at a time, everything real, on a chain that makes a block at once: how long it takes, and where its time goes. */
export const oneJob: Bench = {
  name: 'one-job',
  async run(stage) {
    const rounds = { warmUps: 1, rounds: stage.quick ? 2 : 5 }
    const database = await openDatabase(stage)
    const contenders = [await ours(stage, database, CURRENT), await peer(stage)]
    const measured = await interleave(contenders, rounds, stage.tell)
    const timesOf = (name: string): readonly number[] => (measured.get(name) ?? []).flat().map(lengthOf)
    const [own, other] = [timesOf(CURRENT.name), timesOf('x402-hono')]
    const seen = await watchJobs(stage, database)
    const parts = middleParts(seen)
    const [p50, seenP50] = [median(own), median(seen.map(lengthOf))]
    return [
      {
        what: 'a paid job alone, p50',
        ours: milliseconds(p50),
        peer: { name: 'our goal', figure: milliseconds(P50_LIMIT_MS) },
        ratio: p50 / P50_LIMIT_MS,
        goal: { atMost: 1 },
        notes: [
          `${own.length} jobs, p95 ${milliseconds(quantile(own, 0.95))}`,
          `where the time goes, measured in a second pass through recording proxies (p50 ${milliseconds(seenP50)}):`,
          ...drawTimeLine(parts),
        ],
        panel: {
          kind: 'time-line',
          title: `A paid job alone: ${milliseconds(p50)}, our goal ${milliseconds(P50_LIMIT_MS)}`,
          about:
            `median of ${own.length}, a block made at once · ` +
            `parts seen through proxies, ${milliseconds(seenP50)} in all`,
          parts,
        },
      },
      {
        what: 'a paid job alone, p50',
        ours: milliseconds(p50),
        peer: { name: '@x402/hono with its facilitator', figure: milliseconds(median(other)) },
        ratio: p50 / median(other),
        goal: undefined,
        notes: [
          `p95 of the peer: ${milliseconds(quantile(other, 0.95))}; a ratio below 1 means that ours is faster`,
        ],
      },
    ]
  },
  async against(stage, older) {
    const database = await openDatabase(stage)
    const contenders = [await ours(stage, database, CURRENT), await ours(stage, database, older)]
    const measured = await interleave(contenders, { warmUps: 1, rounds: stage.quick ? 4 : 12 }, stage.tell)
    const p50s = ({ name }: Build): readonly number[] =>
      (measured.get(name) ?? []).map(spans => median(spans.map(lengthOf)))
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
/** Alone is a job that finds everybody done with the one before. */
const PAUSE_MS = 10
/** Until their code is compiled, servers are slow at whatever they do. */
const WARM_UP_JOBS = 400
const WARM_UP_CONNECTIONS = 8
/** Of a database whose URL names none; all other URLs here do. */
const POSTGRES_PORT = 5_432

async function ours(
  stage: Stage,
  database: SceneDatabase,
  build: Build,
): Promise<Contender<readonly Span[]>> {
  const chain = await startFundedChain(stage)
  const { agent } = await startPaidPath(stage, { chain, database, build })
  return await jobsAlone(stage, build.name, {
    url: agent.url,
    requests: await jobsForFarebox(stage.crypto, agent.url),
  })
}

async function peer(stage: Stage): Promise<Contender<readonly Span[]>> {
  const facilitator = await startReferenceFacilitator(stage, await startFundedChain(stage))
  const { name, url } = await startX402Server(stage, facilitator)
  return await jobsAlone(stage, name, { url, requests: await jobsForAnybody(stage.crypto, url) })
}

/** Warms a server up under load, and makes the contender that sends it one job after another. */
async function jobsAlone(
  stage: Stage,
  name: string,
  { url, requests }: { readonly url: string; readonly requests: MakeRequests },
): Promise<Contender<readonly Span[]>> {
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
      const spans: Span[] = []
      for (const request of await requests(stage.quick ? 20 : JOBS_A_ROUND)) {
        await delay(PAUSE_MS)
        const beginMs = performance.now()
        const { answers } = await driver.send([request])
        spans.push({ beginMs, endMs: performance.now() })
        check(answers)
      }
      return spans
    },
  }
}

/** The same once more, with proxies between agent, facilitator, chain and database. */
async function watchJobs(stage: Stage, database: SceneDatabase): Promise<readonly SeenJob[]> {
  const chain: LocalChain = await startFundedChain(stage)
  const toChain = await startRecordingProxy(stage, portOf(chain.rpcUrl))
  const toDatabase = await startRecordingProxy(stage, portOf(database.url), isReadyForQuery)
  let calls = toChain
  const { agent } = await startPaidPath(stage, {
    chain: { rpcUrl: withPort(chain.rpcUrl, toChain.port) },
    database: { url: withPort(database.url, toDatabase.port) },
    between: async url => {
      calls = await startRecordingProxy(stage, portOf(url))
      return withPort(url, calls.port)
    },
  })
  const requests = await jobsForFarebox(stage.crypto, agent.url)
  const { run } = await jobsAlone(stage, 'watched', { url: agent.url, requests })
  stage.tell('where the time goes')
  await run(-1)
  for (const proxy of [calls, toChain, toDatabase]) proxy.take()
  const spans: Span[] = []
  for (let round = 0; round < (stage.quick ? 1 : 4); round += 1) spans.push(...(await run(round)))
  const [asked, chainAsked, databaseAsked] = [calls.take(), toChain.take(), toDatabase.take()]
  return spans.map(span => ({
    ...span,
    calls: overlapping(span, asked),
    chain: overlapping(span, chainAsked),
    database: overlapping(span, databaseAsked),
  }))
}

function overlapping<T extends Span>(span: Span, all: readonly T[]): readonly T[] {
  return all.filter(({ beginMs, endMs }) => beginMs < span.endMs && endMs > span.beginMs)
}

/** `ReadyForQuery`, the last message of an answer: 'Z', the length 5, and a letter. */
function isReadyForQuery(bytes: Buffer): boolean {
  const last = bytes.subarray(-6)
  return last[0] === 0x5a && last.readInt32BE(1) === 5
}

function portOf(url: string): number {
  const { port } = new URL(url)
  return port === '' ? POSTGRES_PORT : Number(port)
}

function withPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

function lengthOf({ beginMs, endMs }: Span): number {
  return endMs - beginMs
}
