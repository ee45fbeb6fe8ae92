import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { LOCAL_AGENT_REGISTRY_ADDRESS } from '@farebox/contracts/addresses'
import { agentRegistryAbi, agentRegistryBytecode } from '@farebox/contracts/agent-registry'
import { parseEther, toHex, zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  balanceOf,
  call,
  deploy,
  encodeCall,
  reader,
  refusalOf,
  register,
  send,
  tellEvents,
  view,
} from '../testing/registry-calls.ts'
import { callAnvil, callAnvilForText } from './anvil-rpc.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

const owner = TEST_KEYS.agent.address
const other = TEST_KEYS.secondAgent.address
const stranger = TEST_KEYS.stranger.address
const endpoint = 'https://agent.example'

let chain: LocalChain
let untouched: string

beforeAll(async () => {
  chain = await startChain()
})
beforeEach(async () => {
  untouched = await callAnvilForText(chain.rpcUrl, 'evm_snapshot', [])
})
afterEach(async () => {
  await callAnvil(chain.rpcUrl, 'evm_revert', [untouched])
})
afterAll(async () => await chain.stop())

describe('registry metadata', () => {
  test('D36 a local chain has the registry at its own address, with a stake of 0.001 ETH', async () => {
    expect(chain.agentRegistry).toBe(LOCAL_AGENT_REGISTRY_ADDRESS)
    expect(await view(chain, 'STAKE')).toBe(parseEther('0.001'))
    expect([await view(chain, 'name'), await view(chain, 'symbol')]).toEqual(['Farebox Agents', 'AGENT'])
    expect([await view(chain, 'agentCount'), await view(chain, 'lastAgentId')]).toEqual([0n, 0n])
  })

  test('the registry is an ERC-721 with metadata', async () => {
    for (const interfaceId of ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f']) {
      expect(await view(chain, 'supportsInterface', [interfaceId])).toBe(true)
    }
    expect(await view(chain, 'supportsInterface', ['0xffffffff'])).toBe(false)
  })

  test('REG-05 only the owner’s three calls and those of ERC-721 can change the registry', () => {
    const calls = agentRegistryAbi.filter(one => one.type === 'function')
    const changing = calls.filter(one => !['view', 'pure'].includes(one.stateMutability))
    expect(changing.map(one => one.name).toSorted()).toEqual([
      'approve',
      'deregister',
      'register',
      'safeTransferFrom',
      'safeTransferFrom',
      'setApprovalForAll',
      'transferFrom',
      'updateEndpoint',
    ])
  })

  test('the registry is the same when it is created by a transaction', async () => {
    const agentRegistry = await deploy(chain, agentRegistryBytecode)
    const created = { rpcUrl: chain.rpcUrl, agentRegistry }
    const code = await callAnvilForText(chain.rpcUrl, 'eth_getCode', [agentRegistry, 'latest'])
    expect(code).toBe(await callAnvilForText(chain.rpcUrl, 'eth_getCode', [chain.agentRegistry, 'latest']))
    expect(await register(created, owner, endpoint)).toBe(1n)
    await call(created, owner, 'deregister', [1n])
  })
})

describe('register', () => {
  test('D36 assigns ids from 1, holds the stake and emits everything that an indexer needs', async () => {
    const receipt = await call(chain, owner, 'register', [endpoint])
    expect(tellEvents(receipt)).toEqual([
      { eventName: 'Transfer', from: zeroAddress, to: owner, tokenId: 1n },
      { eventName: 'AgentRegistered', agentId: 1n, owner, endpoint, stake: STAKE_WEI },
    ])
    expect(await register(chain, other, 'https://other.example')).toBe(2n)
    expect([await view(chain, 'ownerOf', [1n]), await view(chain, 'ownerOf', [2n])]).toEqual([owner, other])
    expect(await view(chain, 'agentCount')).toBe(2n)
    expect(await balanceOf(chain, chain.agentRegistry)).toBe(2n * STAKE_WEI)
  })

  test('makes the endpoint the agent’s metadata', async () => {
    await register(chain, owner, endpoint)
    expect([await view(chain, 'endpointOf', [1n]), await view(chain, 'tokenURI', [1n])]).toEqual([
      endpoint,
      endpoint,
    ])
  })

  test('REG-02 refuses a smaller or a larger amount than the stake, and names both amounts', async () => {
    const callData = encodeCall('register', [endpoint])
    for (const valueWei of [0n, STAKE_WEI - 1n, STAKE_WEI + 1n]) {
      expect(await refusalOf(chain, { from: owner, valueWei, callData })).toEqual([
        'WrongStake',
        valueWei,
        STAKE_WEI,
      ])
    }
  })

  test('accepts an endpoint of 1 to 2,048 bytes, counted in UTF-8', async () => {
    await register(chain, owner, 'x')
    await register(chain, owner, 'é'.repeat(1024))
    expect(await view(chain, 'endpointOf', [2n])).toBe('é'.repeat(1024))
    expect(await refusalOf(chain, { ...registering(''), from: owner })).toEqual(['EndpointEmpty'])
    expect(await refusalOf(chain, { ...registering('é'.repeat(1024) + 'x'), from: owner })).toEqual([
      'EndpointTooLong',
      2049n,
      2048n,
    ])
  })

  test('REG-05 gives two registrations in one block different ids', async () => {
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [false])
    try {
      for (const from of [owner, other]) {
        const { callData: data } = registering(endpoint)
        const transaction = { from, to: chain.agentRegistry, data, value: toHex(STAKE_WEI), gas: '0x100000' }
        await callAnvil(chain.rpcUrl, 'eth_sendTransaction', [transaction])
      }
      await callAnvil(chain.rpcUrl, 'evm_mine', [])
    } finally {
      await callAnvil(chain.rpcUrl, 'evm_setAutomine', [true])
    }
    const events = {
      address: chain.agentRegistry,
      abi: agentRegistryAbi,
      eventName: 'AgentRegistered',
    } as const
    const logs = await reader(chain).getContractEvents({ ...events, fromBlock: 'latest' })
    expect(logs.map(log => log.args.agentId)).toEqual([1n, 2n])
    expect(new Set(logs.map(log => log.args.owner))).toEqual(new Set([owner, other]))
  })
})

describe('updateEndpoint', () => {
  test('replaces the endpoint and emits an event for indexers', async () => {
    await register(chain, owner, endpoint)
    const receipt = await call(chain, owner, 'updateEndpoint', [1n, 'https://moved.example'])
    expect(tellEvents(receipt)).toEqual([
      { eventName: 'EndpointUpdated', agentId: 1n, owner, endpoint: 'https://moved.example' },
    ])
    expect(await view(chain, 'tokenURI', [1n])).toBe('https://moved.example')
  })

  test('leaves no part of a longer endpoint behind', async () => {
    await register(chain, owner, 'x'.repeat(2048))
    await call(chain, owner, 'updateEndpoint', [1n, 'y'])
    expect(await view(chain, 'endpointOf', [1n])).toBe('y')
  })

  test('refuses an empty endpoint and one of 2,049 bytes', async () => {
    await register(chain, owner, endpoint)
    const update = (to: string) => ({ from: owner, callData: encodeCall('updateEndpoint', [1n, to]) })
    expect(await refusalOf(chain, update(''))).toEqual(['EndpointEmpty'])
    expect(await refusalOf(chain, update('x'.repeat(2049)))).toEqual(['EndpointTooLong', 2049n, 2048n])
  })
})

describe('deregister', () => {
  test('D36 sends the owner the stake, burns the token and emits an event for indexers', async () => {
    await register(chain, owner, endpoint)
    const before = await balanceOf(chain, owner)
    const receipt = await call(chain, owner, 'deregister', [1n])
    expect(tellEvents(receipt)).toEqual([
      { eventName: 'Transfer', from: owner, to: zeroAddress, tokenId: 1n },
      { eventName: 'AgentDeregistered', agentId: 1n, owner, stake: STAKE_WEI },
    ])
    const feeWei = receipt.gasUsed * receipt.effectiveGasPrice
    expect(await balanceOf(chain, owner)).toBe(before + STAKE_WEI - feeWei)
    expect(await balanceOf(chain, chain.agentRegistry)).toBe(0n)
    expect(await view(chain, 'agentCount')).toBe(0n)
  })

  test('REG-05 pays a stake out once, and its id is never assigned again', async () => {
    await register(chain, owner, endpoint)
    await register(chain, other, endpoint)
    await call(chain, owner, 'deregister', [1n])
    const gone = ['ERC721NonexistentToken', 1n]
    for (const [name, args] of [
      ['deregister', [1n]],
      ['updateEndpoint', [1n, endpoint]],
      ['endpointOf', [1n]],
      ['tokenURI', [1n]],
      ['ownerOf', [1n]],
    ] as const) {
      expect(await refusalOf(chain, { from: owner, callData: encodeCall(name, args) })).toEqual(gone)
    }
    expect(await register(chain, owner, endpoint)).toBe(3n)
  })
})

describe('authority over an agent', () => {
  test('REG-05 belongs neither to another account nor to an operator that the owner approved; the refusal names the owner', async () => {
    await register(chain, owner, endpoint)
    await call(chain, owner, 'setApprovalForAll', [other, true])
    for (const from of [stranger, other]) {
      for (const callData of [encodeCall('deregister', [1n]), encodeCall('updateEndpoint', [1n, 'x'])]) {
        expect(await refusalOf(chain, { from, callData })).toEqual(['NotAgentOwner', 1n, from, owner])
      }
    }
  })

  test('belongs to the new owner of the token, who gets the stake instead of the old one', async () => {
    await register(chain, owner, endpoint)
    await call(chain, owner, 'transferFrom', [owner, other, 1n])
    const callData = encodeCall('deregister', [1n])
    expect(await refusalOf(chain, { from: owner, callData })).toEqual(['NotAgentOwner', 1n, owner, other])
    const before = await balanceOf(chain, other)
    const receipt = await call(chain, other, 'deregister', [1n])
    const feeWei = receipt.gasUsed * receipt.effectiveGasPrice
    expect(await balanceOf(chain, other)).toBe(before + STAKE_WEI - feeWei)
  })
})

describe('ether that is not a stake', () => {
  test('is refused when it is sent plainly or with any call other than register', async () => {
    await register(chain, owner, endpoint)
    const plain = { from: owner, valueWei: STAKE_WEI }
    expect(await refusalOf(chain, plain)).toEqual(['EtherWithoutRegistration'])
    const calls = [
      encodeCall('deregister', [1n]),
      encodeCall('updateEndpoint', [1n, 'x']),
      '0xdeadbeef',
    ] as const
    for (const callData of calls) {
      expect(await refusalOf(chain, { ...plain, callData })).toEqual([])
      expect((await send(chain, { ...plain, to: chain.agentRegistry, callData })).status).toBe('reverted')
    }
    expect(await balanceOf(chain, chain.agentRegistry)).toBe(STAKE_WEI)
  })

  test('stays in the registry when it is forced upon it, and stakes are paid as before', async () => {
    await register(chain, owner, endpoint)
    await callAnvil(chain.rpcUrl, 'anvil_setBalance', [chain.agentRegistry, toHex(STAKE_WEI + 7n)])
    await call(chain, owner, 'deregister', [1n])
    expect(await balanceOf(chain, chain.agentRegistry)).toBe(7n)
    expect(await view(chain, 'agentCount')).toBe(0n)
  })
})

test('the gas of a registration', async () => {
  const typical = 'https://agents.example.com/summarizer'
  await register(chain, other, typical)
  const registered = await call(chain, owner, 'register', [typical])
  const updated = await call(chain, owner, 'updateEndpoint', [2n, `${typical}-2`])
  const deregistered = await call(chain, owner, 'deregister', [2n])
  const longest = await call(chain, owner, 'register', ['x'.repeat(2048)])
  const gas = {
    register: registered.gasUsed,
    updateEndpoint: updated.gasUsed,
    deregister: deregistered.gasUsed,
    'register with 2,048 bytes': longest.gasUsed,
  }
  console.log('AgentRegistry gas', gas)
  expect(gas.register).toBeLessThan(220_000n)
  expect(gas.deregister).toBeLessThan(80_000n)
})

function registering(text: string) {
  return { valueWei: STAKE_WEI, callData: encodeCall('register', [text]) }
}
