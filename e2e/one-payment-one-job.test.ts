import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobBody, postUntilDecided, signFor, transfersTo, type Answered } from './stage/pay.ts'
import { startRunCounter, type RunCounter } from './stage/run-counter.ts'
import { setStage, type Stage } from './stage/stage.ts'

const CONFIG = 'e2e/agents/counted/agent.json'
const AT_ONCE = 200

const redisUrl = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
const redisRuns = await listens(redisUrl)
if (!redisRuns) console.log('Redis is not running: the replicas are tested over lmdb alone')

let stage: Stage
let facilitator: FacilitatorProcess
let secret: string
let runs: RunCounter

beforeAll(async () => {
  stage = await setStage()
  facilitator = await stage.facilitator()
  secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
  runs = await startRunCounter(stage)
})

afterAll(() => stage.strike())

const stores = [
  { name: 'lmdb', store: () => `lmdb:${join(stage.folder, 'shared-jobs')}` },
  ...(redisRuns ? [{ name: 'redis', store: () => `${redisUrl}?prefix=e2e-${randomUUID()}:` }] : []),
]

describe.each(stores)('over $name, two agent processes', ({ name, store }) => {
  let agents: readonly LocalAgentProcess[]

  beforeAll(async () => {
    const shared = store()
    agents = await Promise.all(
      [1, 2].map(replica =>
        stage.agent({
          config: CONFIG,
          name: `${name}-${replica}`,
          facilitator,
          secret,
          store: shared,
          environment: { SERVICE_PUBLIC_URL: 'https://counted.example' },
        }),
      ),
    )
  })

  /** The same number of requests to each replica. */
  const storm = (
    request: (index: number) => Promise<{ readonly body: string; readonly header: string }>,
  ): Promise<readonly Answered[]> =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async (_, index) => {
        const { body, header } = await request(index)
        return await postUntilDecided(agents[index % agents.length]?.url ?? '', body, header)
      }),
    )

  test('PAY-02 one payment sent 200 times at once for 200 jobs runs the handler once and moves money once', async () => {
    const header = await signFor(stage, { payTo: TEST_KEYS.agent.address, price: '0.01' })
    const [runsBefore, transfersBefore] = [runs.count(), await transfersTo(stage, TEST_KEYS.agent.address)]
    const answers = await storm(async () => ({
      header,
      body: jobBody(randomUUID(), { text: 'mine', tell_url: runs.url, wait_ms: 100 }),
    }))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(1)
    expect(statuses.filter(status => status === 402)).toHaveLength(AT_ONCE - 1)
    expect(runs.count() - runsBefore).toBe(1)
    expect((await transfersTo(stage, TEST_KEYS.agent.address)) - transfersBefore).toBe(1)
  })

  test('PAY-03 the same job sent 200 times at once gives 200 identical answers, one run, one transfer', async () => {
    const header = await signFor(stage, { payTo: TEST_KEYS.agent.address, price: '0.01' })
    const body = jobBody(randomUUID(), { text: 'again', tell_url: runs.url, wait_ms: 100 })
    const [runsBefore, transfersBefore] = [runs.count(), await transfersTo(stage, TEST_KEYS.agent.address)]
    const answers = await storm(async () => ({ header, body }))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: AT_ONCE }, () => 200))
    expect(new Set(answers.map(answer => answer.body)).size).toBe(1)
    expect(new Set(answers.map(answer => answer.headers.get('payment-response'))).size).toBe(1)
    expect(runs.count() - runsBefore).toBe(1)
    expect((await transfersTo(stage, TEST_KEYS.agent.address)) - transfersBefore).toBe(1)
  })
})

describe('two agents that share a wallet and no store', () => {
  test('D10 one payment sent to both at once, through two facilitators with one ledger, is delivered once', async () => {
    const facilitators = [facilitator, await stage.facilitator({ name: 'facilitator-2' })]
    const agents = await Promise.all(
      facilitators.map((one, index) =>
        stage.agent({
          config: CONFIG,
          name: `alone-${index}`,
          facilitator: one,
          secret,
          store: 'memory:',
          environment: { SERVICE_PUBLIC_URL: `https://counted-${index}.example` },
        }),
      ),
    )
    for (let round = 0; round < 5; round += 1) {
      const header = await signFor(stage, { payTo: TEST_KEYS.agent.address, price: '0.01' })
      const [runsBefore, transfersBefore] = [runs.count(), await transfersTo(stage, TEST_KEYS.agent.address)]
      const answers = await Promise.all(
        agents.map(({ url }) =>
          postUntilDecided(
            url,
            jobBody(randomUUID(), { text: 'shared', tell_url: runs.url, wait_ms: 20 }),
            header,
          ),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 402])
      expect(runs.count() - runsBefore).toBe(1)
      expect((await transfersTo(stage, TEST_KEYS.agent.address)) - transfersBefore).toBe(1)
    }
  })
})

function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port) || 6379 })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
