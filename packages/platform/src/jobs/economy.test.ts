import { randomUUID } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { startEconomy, type Economy } from '@farebox/local/economy'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import type { JobAnswer, QuoteAnswer } from '@farebox/platform-api/jobs'
import { verifyReceipt } from '@farebox/platform-api/receipt'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import type { Background } from '../work/loop.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { jobsRoutes } from './jobs-routes.ts'
import { startJobs } from './drive/start-jobs.ts'

const CONFIG = fileURLToPath(new URL('../../../../examples/first-agent/agent.json', import.meta.url))

/** Fails each text once. */
const FLAKY = `const seen = new Set()
export default ({ text }) => {
  if (seen.has(text)) return { text: text.toUpperCase() }
  seen.add(text)
  throw new Error('not yet')
}
`

let folder: string
let economy: Economy
let stage: Stage
let app: FastifyInstance
let jobs: Background

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-platform-'))
  // PostgreSQL started by root runs as another user, which needs access to its files.
  await chmod(folder, 0o711)
  const flaky = join(folder, 'flaky')
  await mkdir(flaky)
  await writeFile(join(flaky, 'handlers.mjs'), FLAKY)
  const config = join(flaky, 'agent.json')
  await writeFile(config, await readFile(CONFIG))
  const agents = [
    { config: CONFIG, wallet: TEST_KEYS.agent.address, port: 0 },
    { config, wallet: TEST_KEYS.secondAgent.address, port: 0 },
  ]
  economy = await startEconomy({ folder, agents, chainPort: 0, facilitatorPort: 0 })
  stage = await stagePlatform({ realTime: true, rpc: createJsonRpc(economy.chain.rpcUrl) })
  for (const [index, { address }] of [TEST_KEYS.agent, TEST_KEYS.secondAgent].entries()) {
    const agent = economy.agents[index]
    const declaration = agent?.declaration ?? null
    const endpoint = agent?.url.replace('localhost', '127.0.0.1') ?? ''
    await insertAgent(stage.database, { endpoint, wallet: address.toLowerCase(), declaration })
  }
  app = createApp(stage.parts, jobsRoutes(stage.parts))
  await app.ready()
  jobs = startJobs(stage.parts)
})
afterAll(async () => {
  await jobs.stop()
  await app.close()
  await stage.close()
  await economy.stop()
  await rm(folder, { recursive: true })
})

async function payFor(quote: QuoteAnswer, jobId: string): Promise<string> {
  const { crypto, network } = stage.parts
  const { header } = await signPayment(crypto, privateKeySigner(crypto, economy.payer.privateKey), {
    network,
    requirement: quote.payment_requirement,
    nowSeconds: Date.now() / 1_000,
    binding: {
      endpoint: quote.endpoint,
      capability: quote.capability,
      jobId,
    },
  })
  return header
}

async function run(
  input: object,
  agentId = 1,
): Promise<JobAnswer & { readonly ordered: { readonly payment: string } }> {
  const asked = { agent_id: agentId, capability: 'shout' }
  const quote = (await app.inject({ method: 'POST', url: '/v1/quotes', payload: asked })).json<QuoteAnswer>()
  const jobId = randomUUID()
  const payment = await payFor(quote, jobId)
  const deadline = Date.now() / 1_000 + quote.max_deadline_seconds
  const payload = { ...asked, job_id: jobId, input, deadline, payment }
  const answer = (await app.inject({ method: 'POST', url: '/v1/jobs', payload })).json<JobAnswer>()
  return { ...answer, ordered: payload }
}

test('with nothing but a quote, a caller pays a real agent through a real facilitator and checks the receipt', async () => {
  const answer = await run({ text: 'exact fare' })
  expect(answer).toMatchObject({ status: 'completed', charged: true, output: { text: 'EXACT FARE' } })
  const keys = (await app.inject({ method: 'GET', url: '/.well-known/jwks.json' })).json<unknown>()
  expect(await verifyReceipt(answer.receipt ?? '', keys)).toMatchObject({
    ok: true,
    receipt: {
      amount: '0.001',
      payer: economy.payer.address.toLowerCase(),
      transaction: answer.payment.transaction,
    },
  })
})

test('a job failed by a real agent is retried with the same payment, which is held again and charged once', async () => {
  const failed = await run({ text: 'at last' }, 2)
  expect(failed).toMatchObject({ status: 'failed', error_type: 'internal', charged: false })
  expect(failed.retry).toMatchObject({ possible: true })
  const answer = await app.inject({
    method: 'POST',
    url: `/v1/jobs/${failed.job_id}/retry`,
    headers: { 'job-token': failed.job_token ?? '' },
    payload: { payment: failed.ordered.payment },
  })
  expect(answer.json<JobAnswer>()).toMatchObject({
    status: 'completed',
    charged: true,
    output: { text: 'AT LAST' },
    payment: { status: 'paid' },
  })
})
