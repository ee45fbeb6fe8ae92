import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createFixtureHandlers,
  fixtureDeclaration,
  listChecks,
  runConformance,
} from '@farebox/conformance/agent'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { createAgent, createLog, systemClock } from 'farebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serve, type Served } from './stage/serve.ts'
import { setStage, type Stage } from './stage/stage.ts'

const PROGRAM = fileURLToPath(new URL('../packages/conformance/bin/farebox-conformance.js', import.meta.url))

let stage: Stage
let facilitatorUrl: string
let agentUrl: string
let secret: string
let secretFile: string

beforeAll(async () => {
  stage = await setStage()
  const facilitator = await stage.facilitator()
  facilitatorUrl = facilitator.url
  secret = await stage.secret(facilitator, [TEST_KEYS.agent.address, TEST_KEYS.secondAgent.address])
  secretFile = join(stage.folder, 'secret')
  await writeFile(secretFile, secret)
  // The files of a local economy that the command reads.
  const { rpcUrl, chainId } = stage.chain
  const { privateKey } = TEST_KEYS.payer
  const chain = { rpcUrl, network: `eip155:${chainId}` }
  await writeFile(
    join(stage.folder, 'local.json'),
    JSON.stringify({ chain, facilitator: { url: facilitatorUrl }, payer: { privateKey } }),
  )
  const agent = await stage.agent({
    config: 'examples/qr-code/agent.json',
    name: 'conforming',
    facilitator,
    secret,
    store: 'memory:',
  })
  agentUrl = agent.url
})

afterAll(() => stage.strike())

async function run(...words: readonly string[]): Promise<{
  readonly code: number | null
  readonly out: string
  readonly err: string
}> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: stage.folder,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, ...said }
}

test('our agent passes every check, including those that need its fixture, with real money on a real chain', async () => {
  const agent = await createAgent({
    declaration: fixtureDeclaration,
    handlers: createFixtureHandlers(),
    variables: {
      SERVICE_DEV_MODE: 'false',
      AGENT_WALLET_ADDRESS: TEST_KEYS.secondAgent.address,
      FACILITATOR_SECRET: secret,
      FACILITATOR_URL: facilitatorUrl,
      SERVICE_NETWORK: 'eip155:84532',
      SERVICE_STORE: `lmdb:${join(stage.folder, 'conformance')}`,
    },
    ports: { log: createLog({ format: 'text', write: () => undefined, nowMs: () => systemClock.nowMs() }) },
  })
  stage.onStrike(() => agent.close())
  const baseUrl = `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`
  const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
  const payer = { signer, maxPrice: 100_000n, maxJobs: 1_000 }
  const failed: object[] = []
  let passed = 0
  for await (const { check, ...result } of runConformance({ baseUrl, payer, known: { fixture: true } })) {
    if (result.outcome === 'failed') failed.push({ id: check.id, ...result })
    if (result.outcome === 'passed') passed += 1
  }
  expect(failed).toEqual([])
  expect(passed).toBeGreaterThan(listChecks().length / 2)
})

describe('farebox-conformance agent', () => {
  test('an example agent passes every check, paid with test money on a real chain', async () => {
    const { code, out, err } = await run('agent', agentUrl, '--local', stage.folder)
    expect({ code, err }, out).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/\npaid mode: jobs are paid for on local chain \(eip155:84532\)/)
    expect(out).toMatch(/\n {2}✓ output\/schema /)
    expect(out).toMatch(/\d payments? signed, 0\.\d+ USDC in all; charged: 0x[0-9a-f]{64}/)
    expect(out).not.toMatch(/✗|need a payment/)
  })

  test('a facilitator is not accepted as an agent', async () => {
    const { code, err } = await run('agent', facilitatorUrl)
    expect(code).toBe(2)
    expect(err).toMatch(/is no agent/)
  })
})

describe('farebox-conformance facilitator', () => {
  let liar: Served
  beforeAll(async () => {
    liar = await serve((request, response, body) => {
      const { method = 'GET', url = '', headers } = request
      if (url === '/verify') return void response.end('{"isValid":true}')
      const sent = { method, ...(method === 'POST' && { body }) }
      const authorization = { authorization: headers.authorization ?? '' }
      fetch(facilitatorUrl + url, {
        ...sent,
        headers: { ...authorization, 'content-type': 'application/json' },
      })
        .then(async answer => response.writeHead(answer.status).end(await answer.text()))
        .catch(() => response.destroy())
    })
    stage.onStrike(liar.stop)
  })

  // `facilitator-rules.test.ts` checks all rules with our facilitator.
  test('our facilitator passes a rule; the cases that need a proxy before its node are reported as skipped', async () => {
    const { code, out, err } = await run('facilitator', facilitatorUrl, '--local', '.', '--only', 'SR4')
    expect({ code, err }, out).toEqual({ code: 0, err: '' })
    expect(out).toMatch(
      /\nSR4 {2}A settlement is told as the chain tells it.*\n {2}✓ SR4-01 {2}a good payment /,
    )
    expect(out).toMatch(/\n {2}12 kept, 0 broken, 3 skipped\n/)
    expect(out).toMatch(/3 skipped {2}need a place between it and its node/)
    expect(out).not.toMatch(/✗|--admin-token-file/)
  })

  test('with only its secret, the administration cases are skipped', async () => {
    const words = ['--rpc-url', stage.chain.rpcUrl, '--secret-file', secretFile, '--only', 'API', '--json']
    const { code, out } = await run('facilitator', facilitatorUrl, ...words)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      facilitator: { url: facilitatorUrl, network: 'eip155:84532' },
      skipped: expect.arrayContaining([
        { count: expect.any(Number) as number, why: expect.stringMatching(/--admin-token-file/) as string },
      ]) as object,
    })
  })

  test('a facilitator that finds every payment valid is reported case by case, exit 1', async () => {
    const words = ['--rpc-url', stage.chain.rpcUrl, '--secret-file', secretFile, '--only', 'SR2']
    const { code, out } = await run('facilitator', liar.url, ...words)
    expect(code).toBe(1)
    expect(out).toMatch(/\n {2}✗ SR2-01 {2}byte 0 of the signature flipped: verify said valid/)
    expect(out).toMatch(/\n {2}\d+ kept, \d+ broken\n/)
  })

  test('without its secret no case runs', async () => {
    const { code, out, err } = await run('facilitator', facilitatorUrl, '--rpc-url', stage.chain.rpcUrl)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/the facilitator wants a secret \(HTTP 401\)\n {2}--secret-file/)
  })
})
