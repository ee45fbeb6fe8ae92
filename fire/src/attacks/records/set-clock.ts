import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createAgent } from 'farebox'
import { jobBody, signFor, transfersTo, type PaidRequest } from '../../../../e2e/stage/pay.ts'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { countStatuses, playScene, send } from '../stage/paid-scene.ts'

const TWO_HOURS_MS = 7_200_000

/** The clock of an agent's machine is set while it keeps charged jobs (row 17); the agent runs in this process. */
export const setClock: Attack = {
  name: "an agent's clock is set by two hours",
  before: 'set forward, 2 of 2 charged jobs were answered 402, on memory: and lmdb: alike (small form)',
  run: async ({ size }) =>
    await playScene(async scene => {
      const scores: Score[] = []
      const jobs = size === 'small' ? 2 : 8
      for (const [store, byMs] of [
        ['memory:', TWO_HOURS_MS],
        ['memory:', -TWO_HOURS_MS],
        [`lmdb:${join(scene.stage.folder, 'forward')}`, TWO_HOURS_MS],
        [`lmdb:${join(scene.stage.folder, 'back')}`, -TWO_HOURS_MS],
      ] as const) {
        const agent = await startAgent(scene.facilitator.url, scene.secret, store)
        try {
          scores.push(await playClock(scene.stage, agent.url, { store, byMs, jobs }))
        } finally {
          await agent.close()
        }
      }
      return scores
    }),
}

async function startAgent(
  facilitatorUrl: string,
  secret: string,
  store: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const agent = await createAgent({
    declaration: {
      service_version: '1.0',
      name: `Clock ${randomUUID().slice(0, 8)}`,
      description: 'Says it back.',
      wallet: '${AGENT_WALLET_ADDRESS}',
      max_deadline_seconds: 20,
      capabilities: {
        tell: {
          description: 'Says it back.',
          pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
          input_schema: { text: { type: 'string', required: true } },
          output_schema: { text: { type: 'string' } },
        },
      },
    },
    handlers: { tell: ({ text }) => ({ text }) },
    variables: {
      AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
      SERVICE_DEV_MODE: 'false',
      SERVICE_NETWORK: 'eip155:84532',
      SERVICE_STORE: store,
      FACILITATOR_URL: facilitatorUrl,
      FACILITATOR_SECRET: secret,
    },
    ports: { log: { job: () => {}, note: () => {}, warn: () => {}, flush: () => {} } },
  })
  const port = await agent.listen({ port: 0, host: '127.0.0.1' })
  return { url: `http://127.0.0.1:${port}`, close: () => agent.close() }
}

async function playClock(
  stage: Parameters<typeof signFor>[0],
  url: string,
  { store, byMs, jobs }: { readonly store: string; readonly byMs: number; readonly jobs: number },
): Promise<Score> {
  const paid: PaidRequest[] = []
  for (let job = 0; job < jobs; job += 1) {
    const jobId = randomUUID()
    const boundTo = { endpoint: `${url}/execute`, capability: 'tell', jobId }
    const header = await signFor(stage, { payTo: TEST_KEYS.agent.address, price: '0.01', boundTo })
    paid.push({ jobId, header, body: jobBody(jobId, { text: 'hi' }) })
  }
  const first = await Promise.all(paid.map(async one => await send(url, one)))
  if (first.some(({ status }) => status !== 200)) throw new Error(`paid jobs: ${countStatuses(first)}`)
  const transfers = await transfersTo(stage, TEST_KEYS.agent.address)
  const repeats = await withClockSet(
    byMs,
    async () => await Promise.all(paid.map(async one => await send(url, one))),
  )
  const same = repeats.filter(({ body }, at) => body === first[at]?.body).length
  const charged = (await transfersTo(stage, TEST_KEYS.agent.address)) - transfers
  return {
    test: `${store.slice(0, 6)} set ${byMs > 0 ? 'forward' : 'back'}, ${jobs} charged jobs repeated`,
    reached: `${countStatuses(repeats)}, ${same} the same bytes, ${charged} charged again`,
    target: `all 200, the same bytes, 0 charged again`,
    isMet: same === jobs && charged === 0,
  }
}

/** Sets the clock of this process, and puts it right again. */
async function withClockSet<Result>(byMs: number, work: () => Promise<Result>): Promise<Result> {
  const { now } = Date
  Date.now = () => now() + byMs
  try {
    return await work()
  } finally {
    Date.now = now
  }
}
