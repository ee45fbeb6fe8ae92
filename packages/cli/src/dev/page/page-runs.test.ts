import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import type { DevStep } from '@farebox/web/internal/dev-page/wire'
import { afterEach, expect, test } from 'vitest'
import { COUNTER, serveAgent, type ServedAgent } from '../../testing/served-agent.ts'
import { createPageRuns, type PageRunsOptions } from './page-runs.ts'
import type { PageAgent } from './served-agent.ts'

/** A public key of the local chain. */
const PAYER_KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

let agent: ServedAgent
afterEach(() => agent.close())

const jobOf = (input: object) => ({ job_id: crypto.randomUUID(), capability: 'count', input: { ...input } })

function stage(paid?: ReturnType<PageRunsOptions['paid']>) {
  const steps: DevStep[] = []
  const runs = createPageRuns({
    clock: systemClock,
    feed: { step: (_, step) => void steps.push(step) },
    paid: () => paid,
    signal: new AbortController().signal,
  })
  const declaration = { ...COUNTER, wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65' }
  // The page's view of it does not matter here.
  const served = { url: agent.url } as PageAgent['served']
  return { runs, steps, pageAgent: { served, declaration } as PageAgent }
}

test('a job is run over HTTP like any caller’s, and the answer is passed on word for word', async () => {
  agent = await serveAgent()
  const { runs, pageAgent } = stage()
  const answer = await runs.run(jobOf({ text: 'a b c' }), pageAgent)
  expect(answer).toMatchObject({ status: 200, trouble: null, settled: null })
  expect(JSON.parse((answer as { readonly body: string }).body)).toMatchObject({ output: { words: 3 } })
  expect(agent.seen.map(({ path }) => path)).toEqual(['/execute'])
})

test('D21 a refusal has the agent’s own message', async () => {
  agent = await serveAgent()
  const { runs, pageAgent } = stage()
  const answer = await runs.run(jobOf({}), pageAgent)
  expect(answer).toMatchObject({ status: 400, trouble: null })
  expect(JSON.parse((answer as { readonly body: string }).body)).toMatchObject({ error: 'text: is required' })
})

test('with payments on, a job is paid once, and the outcome on the chain is shown', async () => {
  const signer = privateKeySigner(await loadEvmCrypto(), PAYER_KEY)
  agent = await serveAgent({ funded: [signer.address] })
  const readSettled = () =>
    Promise.resolve({ blockNumber: 7n, payerAtomic: 999_998_000n, agentAtomic: 2_000n })
  const { runs, steps, pageAgent } = stage({ signer, readSettled })
  const answer = await runs.run(jobOf({ text: 'a b' }), pageAgent)
  expect(answer).toMatchObject({
    status: 200,
    settled: { amount: '0.002', block_number: 7, balances: { payer: '999.998000', agent: '0.002000' } },
  })
  expect(steps).toMatchObject([{ kind: 'asked', amount: '0.002' }, { kind: 'signed' }])
})

test('an agent that does not answer is reported, and nothing of an earlier answer is shown', async () => {
  agent = await serveAgent()
  const { runs, pageAgent } = stage()
  await agent.close()
  expect(await runs.run(jobOf({ text: 'a' }), pageAgent)).toMatchObject({
    status: null,
    body: '',
    trouble: expect.stringMatching(/connection failed/),
  })
})

test('steps come from the job’s own events', async () => {
  agent = await serveAgent()
  const { runs, steps, pageAgent } = stage()
  const job = jobOf({ text: 'a' })
  await runs.warm()
  const running = runs.run(job, pageAgent)
  // The job is in progress once its modules, which have been read, are requested.
  await new Promise(resolve => setImmediate(resolve))
  const event = { jobId: job.job_id.toUpperCase(), fields: {}, atMs: 1_000 }
  runs.onJobEvent({ ...event, jobId: crypto.randomUUID(), event: 'input valid' })
  runs.onJobEvent({ ...event, event: 'execute', fields: { capability: 'count' } })
  runs.onJobEvent({ ...event, event: 'input valid', atMs: 1_002 })
  runs.onJobEvent({ ...event, event: 'output valid', fields: { ms: 3 }, atMs: 1_005 })
  runs.onJobEvent({ ...event, event: 'output does not match output_schema: words: no; production …' })
  runs.onJobEvent({ ...event, event: 'completed' })
  await running
  expect(steps).toEqual([
    { kind: 'input-valid', ms: 2 },
    { kind: 'ran', ms: 3 },
    { kind: 'warned', reason: 'output does not match output_schema: words: no; production …' },
  ])
})
