import { join } from 'node:path'
import { createAgent, createLog, systemClock, type Agent } from 'farebox'
import {
  createFixtureHandlers,
  fixtureDeclaration,
  listChecks,
  runConformance,
  type CheckResult,
} from '@farebox/conformance/agent'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setStage, type Stage } from './stage/stage.ts'

let stage: Stage

beforeAll(async () => {
  stage = await setStage()
})

afterAll(() => stage.strike())

async function check(baseUrl: string, known?: { readonly fixture: true }): Promise<readonly CheckResult[]> {
  const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
  const results: CheckResult[] = []
  for await (const result of runConformance({
    baseUrl,
    payer: { signer, maxPrice: 100_000n, maxJobs: 1_000 },
    ...(known && { known }),
  })) {
    results.push(result)
  }
  return results
}

function failures(results: readonly CheckResult[]): readonly object[] {
  return results.flatMap(({ check, ...result }) =>
    result.outcome === 'failed' ? [{ id: check.id, ...result }] : [],
  )
}

function passed(results: readonly CheckResult[]): number {
  return results.filter(({ outcome }) => outcome === 'passed').length
}

describe('the conformance kit, with real money on a real chain', () => {
  let agent: Agent
  let url: string

  beforeAll(async () => {
    const facilitator = await stage.facilitator()
    const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
    agent = await createAgent({
      declaration: fixtureDeclaration,
      handlers: createFixtureHandlers(),
      variables: {
        SERVICE_DEV_MODE: 'false',
        AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
        FACILITATOR_SECRET: secret,
        FACILITATOR_URL: facilitator.url,
        SERVICE_NETWORK: 'eip155:84532',
        SERVICE_STORE: `lmdb:${join(stage.folder, 'conformance')}`,
      },
      ports: { log: createLog({ format: 'text', write: () => undefined, nowMs: () => systemClock.nowMs() }) },
    })
    stage.onStrike(() => agent.close())
    url = `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`
  })

  test('our agent keeps every rule', async () => {
    const results = await check(url, { fixture: true })
    expect(failures(results)).toEqual([])
    expect(passed(results)).toBeGreaterThan(listChecks().length / 2)
  })
})

test('an agent of which nothing is known but its URL keeps every rule', async () => {
  const facilitator = await stage.facilitator({ name: 'for-a-stranger' })
  const secret = await stage.secret(facilitator, [TEST_KEYS.secondAgent.address])
  const { url } = await stage.agent({
    config: 'examples/qr-code/agent.json',
    name: 'stranger',
    facilitator,
    secret,
    store: 'memory:',
    wallet: TEST_KEYS.secondAgent.address,
  })
  expect(failures(await check(url))).toEqual([])
})
