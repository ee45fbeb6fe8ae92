import { decodeFunctionData, toEventSelector, type Abi } from 'viem'
import { describe, expect, test } from 'vitest'
import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import * as registry from '@farebox/contracts/internal/calls/registry-calls'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import * as token from '@farebox/contracts/internal/calls/token-calls'
import * as views from '@farebox/contracts/internal/calls/permission-views'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'

type Hex = `0x${string}`

const OWNER: Hex = `0x${'11'.repeat(20)}`
const TOKEN: Hex = `0x${'22'.repeat(20)}`
const ID: Hex = `0x${'33'.repeat(32)}`
const ENDPOINTS = [
  'https://a.example',
  `https://agent.example/${'a'.repeat(10)}`,
  'https://bücher.example/ä',
  '',
]

const calls: readonly (readonly [string, Abi, Hex, readonly unknown[] | undefined])[] = [
  ...ENDPOINTS.map(
    endpoint => ['register', agentRegistryAbi, registry.encodeRegister(endpoint), [endpoint]] as const,
  ),
  [
    'updateEndpoint',
    agentRegistryAbi,
    registry.encodeUpdateEndpoint(7, 'https://a.example/b'),
    [7n, 'https://a.example/b'],
  ],
  ['deregister', agentRegistryAbi, registry.encodeDeregister(2 ** 40), [2n ** 40n]],
  ['ownerOf', agentRegistryAbi, registry.encodeOwnerOf(7), [7n]],
  ['endpointOf', agentRegistryAbi, registry.encodeEndpointOf(7), [7n]],
  ['STAKE', agentRegistryAbi, registry.STAKE_CALL, undefined],
  ['lastAgentId', agentRegistryAbi, registry.LAST_AGENT_ID_CALL, undefined],
  ['statusOf', spendPermissionsAbi, views.encodeStatusOf(ID), [ID]],
  ['isRecipient', spendPermissionsAbi, views.encodeIsRecipient(ID, OWNER), [ID, OWNER]],
  ['totalLeft', spendPermissionsAbi, views.encodeTotalLeft(OWNER, TOKEN), [OWNER, TOKEN]],
  ['permissionsOf', spendPermissionsAbi, views.encodePermissionsOf(OWNER, TOKEN), [OWNER, TOKEN]],
  ['allowance', localUsdcAbi, views.encodeAllowance(OWNER), [OWNER, SPEND_PERMISSIONS_ADDRESS]],
  ['balanceOf', localUsdcAbi, token.encodeBalanceOf(OWNER), [OWNER]],
  ['totalSupply', localUsdcAbi, token.TOTAL_SUPPLY_CALL, undefined],
  ['mint', localUsdcAbi, token.encodeMint(OWNER, 5n), [OWNER, 5n]],
  ['nonces', localUsdcAbi, views.encodeNonces(OWNER), [OWNER]],
  ['DOMAIN_SEPARATOR', localUsdcAbi, views.DOMAIN_SEPARATOR_CALL, undefined],
  ['PERMIT_TYPEHASH', localUsdcAbi, views.PERMIT_TYPEHASH_CALL, undefined],
]

describe('hand-encoded calls', () => {
  test.each(calls)('%s is decoded correctly by the contract’s ABI', (name, abi, data, parameters) => {
    expect(decodeFunctionData({ abi, data })).toEqual({ functionName: name, args: parameters })
  })

  test.each([
    ['AgentRegistered', agentRegistryAbi, registry.AGENT_REGISTERED_TOPIC],
    ['PermissionSet', spendPermissionsAbi, views.PERMISSION_SET_TOPIC],
  ] as const)('the topic of %s is that of the ABI', (name, abi, topic) => {
    const event = (abi as Abi).find(one => one.type === 'event' && one.name === name)
    expect(event !== undefined && event.type === 'event' && toEventSelector(event)).toBe(topic)
  })

  test('an address or id of the wrong length is refused, so that the following words keep their positions', () => {
    expect(() => views.encodeStatusOf(OWNER)).toThrow(RangeError)
    expect(() => views.encodeTotalLeft(ID, TOKEN)).toThrow(RangeError)
    expect(() => registry.encodeDeregister(-1)).toThrow(RangeError)
  })
})

test('the response about a permission is decoded word by word; any other response is invalid', () => {
  const status = { limit: 5n, cap: 50n, spent: 7n, expiry: 1_800_000_000n, nonce: 2n, isListed: true }
  const whole = `0x${[5n, 50n, 7n, 1_800_000_000n, 2n, 1n].map(one => one.toString(16).padStart(64, '0')).join('')}`
  expect(views.readStatusOf(whole)).toEqual(status)
  for (const answer of ['0x', whole.slice(0, -64), whole.slice(0, -1), undefined, 7, { whole }])
    expect(views.readStatusOf(answer)).toBeUndefined()
})
