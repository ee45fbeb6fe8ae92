import { randomUUID } from 'node:crypto'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { execute } from '@farebox/client/execute'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { usdcBalance } from '@farebox/local/src/chain/top-up'
import type { PlatformProcess } from '@farebox/local/src/start-platform-process'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import * as fc from 'fast-check'
import { createAgent, defineAgent, type Agent } from 'farebox'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orderUntilDone, sendOrder, signOrder } from './stage/order.ts'
import { jobBody } from './stage/pay.ts'
import { hasPython, runPython } from './stage/python-caller.ts'
import { startCli } from './stage/run-cli.ts'
import { setStage, type Stage } from './stage/stage.ts'
import { onceEach, strangeOutputs, type StrangeOutput } from './stage/strange-outputs.ts'

const OWNER = TEST_KEYS.agent
const PRICE_ATOMIC = 1_000n

let stage: Stage
let platform: PlatformProcess
let url: string
let isolatedUrl: string
let output: StrangeOutput

const declaration = defineAgent({
  service_version: '1.0',
  name: 'Strange',
  description: 'Returns whatever a test wants.',
  wallet: OWNER.address,
  max_deadline_seconds: 300,
  capabilities: {
    give: {
      description: 'Gives an object.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { place: { type: 'integer' } },
      output_schema: { value: { type: 'object' } },
    },
  },
})

beforeAll(async () => {
  stage = await setStage()
  const facilitator = await stage.facilitator()
  platform = await stage.platform({ facilitator })
  const variables = {
    AGENT_WALLET_ADDRESS: OWNER.address,
    FACILITATOR_SECRET: await stage.secret(facilitator, [OWNER.address]),
    FACILITATOR_URL: facilitator.url,
    SERVICE_DEV_MODE: 'false',
    SERVICE_NETWORK: `eip155:${stage.chain.chainId}`,
    SERVICE_STORE: `lmdb:${stage.folder}/jobs`,
  }
  // The type is deliberately ignored.
  const give = (): { value: JsonObject } => output.make() as { value: JsonObject }
  url = await serve(await createAgent({ declaration, handlers: { give }, variables }))
  isolatedUrl = await serve(
    await createAgent({
      declaration,
      handlers: new URL('./agents/strange/handlers.ts', import.meta.url),
      isolation: 'worker',
      variables: { ...variables, SERVICE_STORE: 'memory:' },
    }),
  )
  const registered = await startCli(['register', '--endpoint', url, '--wallet', '--json'], {
    folder: stage.folder,
    environment: {
      HOME: stage.folder,
      FAREBOX_PLATFORM: platform.url,
      FAREBOX_PRIVATE_KEY: OWNER.privateKey,
      FAREBOX_RPC_URL: stage.chain.rpcUrl,
    },
  }).ended
  expect(registered, registered.err).toMatchObject({ code: 0 })
})
afterAll(() => stage.strike())

async function serve(agent: Agent): Promise<string> {
  stage.onStrike(() => agent.close())
  return `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`
}

/** A reader's result: the output, or a failure without a charge. */
type Had = { readonly output: unknown } | 'refused'

async function byClient(agentUrl = url, input: JsonObject = {}): Promise<Had> {
  const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
  try {
    const done = await execute(agentUrl, 'give', input, { signer, crypto: stage.crypto })
    expect(done.payment?.transaction).toBeDefined()
    expect(done.violation).toBeUndefined()
    return { output: done.output }
  } catch (error) {
    if (error instanceof InternalError) return 'refused'
    throw error
  }
}

/** `fetch` with a payment, and `response.json()`. */
async function byStockClient(): Promise<Had> {
  const client = new x402Client()
  client.register('eip155:*', new ExactEvmScheme(privateKeyToAccount(TEST_KEYS.payer.privateKey)))
  const body = jobBody(randomUUID(), {}, { capability: 'give' })
  const answer = await wrapFetchWithPayment(fetch, client)(`${url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (answer.status === 500) return 'refused'
  expect(answer.status).toBe(200)
  return { output: ((await answer.json()) as { readonly output: unknown }).output }
}

async function byPlatform(): Promise<Had> {
  const order = await signOrder(
    stage,
    { agentId: 1, endpoint: url, wallet: OWNER.address },
    { capability: 'give', price: '0.001', input: {} },
  )
  const done = await orderUntilDone(platform.url, order)
  expect(done.charged_without_delivery).toBe(false)
  if (done.status === 'failed') return 'refused'
  expect(done).toMatchObject({ status: 'completed', charged: true, output_problem: null })
  // As received: a schema would drop a key like __proto__.
  return (await (await sendOrder(platform.url, order)).json()) as { readonly output: unknown }
}

/** The caller of docs/wire.md, whose JSON is not ours. */
async function byPython(): Promise<Had> {
  return (await runPython(`
try:
    output, transaction = call_agent.call(${JSON.stringify(url)}, "give", {}, ${PRICE_ATOMIC},
        ${JSON.stringify(TEST_KEYS.payer.address)}, sign)
    print(json.dumps({"output": output}))
except call_agent.JobFailed:
    print(json.dumps("refused"))
`)) as Had
}

/** Sends the job to each reader, and compares their results with each other and with the payment. */
async function deliverToAll(
  strange: StrangeOutput,
  more: readonly (() => Promise<Had>)[] = [],
): Promise<void> {
  output = strange
  const before = await usdcBalance(stage.chain, OWNER.address)
  const had = [await byClient(), await byStockClient(), await byPlatform()]
  for (const read of more) had.push(await read())
  const paid = (await usdcBalance(stage.chain, OWNER.address)) - before
  const [first] = had
  const texts = had.map(one => (one === 'refused' ? one : JSON.stringify(one.output)))
  // Not `toEqual`: a diff of five megabytes is not readable.
  expect(new Set(texts).size, `${strange.name}: every reader has the same`).toBe(1)
  expect(paid, `${strange.name}: paid for what was delivered, and for nothing else`).toBe(
    first === 'refused' ? 0n : BigInt(had.length) * PRICE_ATOMIC,
  )
}

test('D39 a charged output is delivered: each unusual output, to our clients, a stock client and through the platform', async () => {
  for (const strange of onceEach) await deliverToAll(strange, hasPython ? [byPython] : [])
})

test('D39 a charged output is delivered by a handler in its own process', async () => {
  let delivered = 0
  for (const [place, strange] of onceEach.entries()) {
    const before = await usdcBalance(stage.chain, OWNER.address)
    const had = await byClient(isolatedUrl, { place })
    const paid = (await usdcBalance(stage.chain, OWNER.address)) - before
    expect(paid, strange.name).toBe(had === 'refused' ? 0n : PRICE_ATOMIC)
    if (had !== 'refused') delivered += 1
    output = strange
    expect(JSON.stringify(had) === JSON.stringify(await byClient()), `${strange.name}: as without`).toBe(true)
  }
  expect(delivered).toBeGreaterThan(onceEach.length / 4)
})

test('D39 a charged output of any size, depth, text and number is delivered', async () => {
  await fc.assert(
    fc.asyncProperty(strangeOutputs, async strange => await deliverToAll(strange)),
    { numRuns: Number(process.env['FAREBOX_OUTPUTS'] ?? 12), endOnFailure: true },
  )
})
