import { createDriver } from '../rounds/drive.ts'
import { readResources, type Resources } from '../rounds/resources.ts'
import { median, quantile } from '../rounds/statistics.ts'
import { createJobsCheck } from '../stage/check-answers.ts'
import { jobsForFarebox } from '../stage/sign-jobs.ts'
import { startAgent } from '../stage/start-agent.ts'
import { startStubFacilitator } from '../stage/start-peers.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds, number, rate } from '../report/figures.ts'

/** One agent, a million paid jobs: what it holds at the end beside what it held when it had warmed up. */
export const soak: Bench = {
  name: 'soak',
  isLong: true,
  async run(stage) {
    const jobs = stage.quick ? 20_000 : 1_000_000
    const samples = await drive(stage, jobs)
    // The first tenth warms up: code is compiled, pools are filled, the store gets its first pages.
    const warm = samples.slice(Math.floor(samples.length / 10))
    return [compareMemory(jobs, warm), compareTimes(jobs, samples)]
  },
}

const CONNECTIONS = 16
const CHUNK = 2_000

/** What was seen after each chunk. */
interface Sample extends Resources {
  readonly jobs: number
  readonly p99Ms: number
  readonly wallMs: number
}

async function drive(stage: Stage, jobs: number): Promise<readonly Sample[]> {
  const facilitator = await startStubFacilitator(stage)
  const agent = await startAgent(stage, {
    store: 'lmdb',
    paid: { facilitatorUrl: facilitator.url, secret: 'a-secret-of-the-bench' },
  })
  const makeRequests = await jobsForFarebox(stage.crypto, agent.url)
  const check = createJobsCheck({ paid: true })
  const driver = createDriver(agent.url, CONNECTIONS, { awake: false })
  stage.onStrike(() => driver.close())
  const samples: Sample[] = []
  for (let done = 0; done < jobs; done += CHUNK) {
    const { answers, latenciesMs, wallMs } = await driver.send(await makeRequests(CHUNK))
    check(answers)
    samples.push({
      ...readResources(agent.pid),
      jobs: done + CHUNK,
      p99Ms: quantile(latenciesMs, 0.99),
      wallMs,
    })
    stage.tell(`soak: ${number(done + CHUNK)} of ${number(jobs)} jobs`)
  }
  return samples
}

/** A heap breathes: the median of a tenth of the samples is its level. */
function compareMemory(jobs: number, warm: readonly Sample[]): Row {
  const tenth = Math.max(1, Math.floor(warm.length / 10))
  const level = (samples: readonly Sample[]): number => median(samples.map(({ ownBytes }) => ownBytes))
  const [first, last] = [level(warm.slice(0, tenth)), level(warm.slice(-tenth))]
  const [begin, end] = [warm[0], warm.at(-1)]
  const held = (sample: Sample | undefined): string =>
    `${sample?.openFiles} files and sockets, ${sample?.threads} threads, ${megabytes(sample?.mappedBytes ?? 0)} of mapped files`
  return {
    what: `memory after ${jobs.toLocaleString('en-US')} paid jobs`,
    ours: megabytes(last),
    peer: { name: 'itself after the first tenth', figure: megabytes(first) },
    ratio: last / first,
    goal: { atMost: 1.1 },
    notes: [
      `highest ${megabytes(Math.max(...warm.map(({ ownBytes }) => ownBytes)))}, growth ${megabytes(last - first)}`,
      `then: ${held(begin)}`,
      `now: ${held(end)}`,
    ],
  }
}

function compareTimes(jobs: number, samples: readonly Sample[]): Row {
  const tenth = Math.max(1, Math.floor(samples.length / 10))
  const p99 = (part: readonly Sample[]): number => median(part.map(({ p99Ms }) => p99Ms))
  // Of the second tenth: the first one compiles.
  const [first, last] = [p99(samples.slice(tenth, 2 * tenth)), p99(samples.slice(-tenth))]
  const wallSeconds = samples.reduce((sum, { wallMs }) => sum + wallMs, 0) / 1_000
  return {
    what: `p99 of the last of ${jobs.toLocaleString('en-US')} jobs`,
    ours: milliseconds(last),
    peer: { name: 'of the second tenth', figure: milliseconds(first) },
    ratio: last / first,
    goal: { atMost: 1.2 },
    notes: [
      `${rate(jobs / wallSeconds)} on the wall over ${CONNECTIONS} connections, the facilitator stubbed`,
    ],
  }
}

function megabytes(bytes: number): string {
  return `${number(bytes / 1_048_576)} MB`
}
