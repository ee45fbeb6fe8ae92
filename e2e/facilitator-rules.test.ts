import { openTrial, playMatrix, ruleCases, type SubjectOptions } from '@farebox/conformance/facilitator'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startReferenceFacilitator } from './stage/reference-facilitator.ts'
import { startRpcProxy, type RpcProxy } from './stage/proxies/rpc-proxy.ts'
import { brokenCases, rulesPage, type Column } from './stage/rules-page.ts'
import { setStage, type Stage } from './stage/stage.ts'

// Every case of the facilitator rules, sent to ours and to the x402 project's, and judged by answers and on the chain.

const WALLETS = { payTo: TEST_KEYS.agent.address, secondPayTo: TEST_KEYS.secondAgent.address }

/** The codes on which our callers can branch, by HTTP status: a refusal and the cases that end in it. */
const REFUSALS: readonly (readonly [words: string, ...cases: string[]])[] = [
  ['400 unsupported_scheme', 'SR1-05'],
  ['400 invalid_network', 'SR1-08'],
  ['400 invalid_payment_requirements', 'SR1-14', 'API-63'],
  ['400 invalid_x402_version', 'SR1-51'],
  ['400 invalid_payload', 'API-54', 'API-57', 'API-62'],
  ['403 pay_to_not_owned', 'API-13'],
  ['200 invalid_payload', 'API-64', 'API-65'],
  ['200 invalid_payment_requirements', 'SR1-21'],
  ['200 invalid_exact_evm_network_mismatch', 'SR1-09', 'SR1-15'],
  ['200 invalid_exact_evm_recipient_mismatch', 'SR1-38'],
  ['200 invalid_exact_evm_payload_authorization_value_mismatch', 'SR1-41', 'SR1-42'],
  ['200 invalid_exact_evm_signature', 'SR1-26', 'SR1-28', 'SR1-30', 'SR1-32', 'SR1-37', 'SR2-01'],
  ['200 invalid_exact_evm_payload_authorization_valid_before: the authorization has expired', 'SR3-01'],
  [
    '200 invalid_exact_evm_payload_authorization_valid_before: authorization.validBefore must be at least 10 s',
    'SR3-09',
  ],
  [
    '200 invalid_exact_evm_payload_authorization_valid_before: authorization.validBefore must be within 24 h',
    'SR3-22',
  ],
  ['200 invalid_exact_evm_payload_authorization_valid_after', 'SR3-16'],
  ['200 amount_below_minimum: the smallest payment taken here is 0.001 USDC', 'SR5-04'],
  ['200 invalid_exact_evm_insufficient_balance', 'SR5-08', 'SR5-15', 'SR7-01'],
  ['200 invalid_exact_evm_nonce_already_used', 'SR4-02', 'SR4-03', 'SR5-10'],
  ['200 invalid_exact_evm_nonce_already_used: the payer cancelled the authorization', 'SR7-06'],
  ['200 invalid_exact_evm_nonce_already_used: the payer used the nonce for another transfer', 'SR7-07'],
  ['200 invalid_exact_evm_transaction_simulation_failed: the token would revert this transfer', 'SR7-04'],
  ['200 payment_bound_otherwise', 'SR1-49', 'SR5-12'],
  ['200 hold_released', 'API-16'],
]

let stage: Stage
let ours: Column
/** The last refusal of each case. */
const refusals = new Map<string, string>()
let reference: Column
beforeAll(async () => {
  stage = await setStage()
  let refused: string | undefined
  const send = globalThis.fetch
  vi.stubGlobal('fetch', async (...call: Parameters<typeof fetch>) => {
    const answer = await send(...call)
    refused = refusalIn(answer.status, await answer.clone().text()) ?? refused
    return answer
  })
  const start = async ({ url: rpcUrl }: RpcProxy) => {
    const facilitator = await stage.facilitator({ rpcUrl })
    const { url, adminToken } = facilitator
    const secret = await stage.secret(facilitator, Object.values(WALLETS))
    return { name: 'farebox', url, secret, adminToken, door: true }
  }
  ours = await play(start, ({ ruleCase }) => {
    refusals.set(ruleCase.id, refused ?? '')
    refused = undefined
  })
  vi.unstubAllGlobals()
  reference = await play(async ({ url: rpcUrl }) => {
    const { url, stop } = await startReferenceFacilitator(rpcUrl)
    stage.onStrike(stop)
    // A library: the stage adds the HTTP server.
    return { name: 'x402 reference', url, secret: '', door: false }
  })
}, 600_000)
afterAll(() => stage.strike())

async function play(
  start: (
    proxy: RpcProxy,
  ) => Promise<Pick<SubjectOptions, 'name' | 'url' | 'secret' | 'adminToken' | 'door'>>,
  onPlayed?: Parameters<typeof playMatrix>[2],
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
  return { name: subject.name, played: await playMatrix(trial, ruleCases, onPlayed) }
}

function refusalIn(status: number, text: string): string | undefined {
  const [, , reason, message] =
    /"(invalid|error)Reason":"([^"]+)".*"(?:invalid|error)Message":"([^"]+)"/.exec(text) ?? []
  return reason === undefined ? undefined : `${status} ${reason}: ${message}`
}

test('SR1–SR8 our facilitator keeps every rule, by its answers and on the chain; every case applies to it', () => {
  expect(brokenCases(ours)).toEqual([])
  expect(ours.played.filter(({ outcome }) => outcome === undefined)).toEqual([])
  expect(ours.played.length).toBe(ruleCases.length)
})

test('SR1–SR7 our facilitator refuses with the error codes of x402 and a reason', () => {
  const found = REFUSALS.map(([words, ...cases]) => [
    words,
    ...cases.filter(id => refusals.get(id)?.startsWith(words)),
  ])
  expect(found, [...refusals].join('\n')).toEqual(REFUSALS)
})

test('the docs page matches the results of both facilitators, and lists the rules that the x402 reference does not cover', async () => {
  await expect(rulesPage([ours, reference])).toMatchFileSnapshot('../docs/facilitator-rules.md')
})
