import { openTrial, playMatrix, ruleCases, type SubjectOptions } from '@farebox/conformance/facilitator'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReferenceFacilitator } from './stage/reference-facilitator.ts'
import { startRpcProxy, type RpcProxy } from './stage/proxies/rpc-proxy.ts'
import { brokenCases, rulesPage, type Column } from './stage/rules-page.ts'
import { setStage, type Stage } from './stage/stage.ts'

// Every case of the facilitator rules, sent to ours and to the x402 project's, and judged by answers and by the chain.

const WALLETS = { payTo: TEST_KEYS.agent.address, secondPayTo: TEST_KEYS.secondAgent.address }

let stage: Stage
let ours: Column
let reference: Column
beforeAll(async () => {
  stage = await setStage()
  ours = await play(async ({ url: rpcUrl }) => {
    const facilitator = await stage.facilitator({ rpcUrl })
    const { url, adminToken } = facilitator
    const secret = await stage.secret(facilitator, Object.values(WALLETS))
    return { name: 'farebox', url, secret, adminToken, door: true }
  })
  reference = await play(async ({ url: rpcUrl }) => {
    const { url, stop } = await startReferenceFacilitator(rpcUrl)
    stage.onStrike(stop)
    // A library: the HTTP door is of the stage.
    return { name: 'x402 reference', url, secret: '', door: false }
  })
}, 600_000)
afterAll(() => stage.strike())

async function play(
  start: (
    proxy: RpcProxy,
  ) => Promise<Pick<SubjectOptions, 'name' | 'url' | 'secret' | 'adminToken' | 'door'>>,
): Promise<Column> {
  const proxy = await startRpcProxy(stage)
  const subject = await start(proxy)
  const { trial, close } = await openTrial({
    ...subject,
    ...WALLETS,
    rpcUrl: stage.chain.rpcUrl,
    beforeSend: act => {
      proxy.beforeNextSend = act
    },
  })
  stage.onStrike(close)
  return { name: subject.name, played: await playMatrix(trial, ruleCases) }
}

test('SR1–SR8 our facilitator keeps every rule, by its answers and by the chain; every case applies to it', () => {
  expect(brokenCases(ours)).toEqual([])
  expect(ours.played.filter(({ outcome }) => outcome === undefined)).toEqual([])
  expect(ours.played.length).toBe(ruleCases.length)
})

test('what both did, and which rules the x402 reference leaves to others, is what the page of the docs says', async () => {
  await expect(rulesPage([ours, reference])).toMatchFileSnapshot('../docs/facilitator-rules.md')
})
