import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import type { TransactionReceipt } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createHostileWallet, tellCallbacks } from '../testing/hostile-wallet.ts'
import type { HostileWallet } from '../testing/hostile-wallet.ts'
import {
  balanceOf,
  call,
  encodeCall,
  refusalOf,
  register,
  tellEvents,
  view,
} from '../testing/registry-calls.ts'
import { callAnvil, callAnvilForText } from './anvil-rpc.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

const owner = TEST_KEYS.agent.address
const endpoint = 'https://agent.example'
const registering = encodeCall('register', [endpoint])
const deregistering = (agentId: bigint) => encodeCall('deregister', [agentId])

let chain: LocalChain
let wallet: HostileWallet
let untouched: string

beforeAll(async () => {
  chain = await startChain()
  wallet = await createHostileWallet(chain)
})
beforeEach(async () => {
  untouched = await callAnvilForText(chain.rpcUrl, 'evm_snapshot', [])
  // Agent 1 is honest; the attacks try to steal its stake.
  await register(chain, owner, endpoint)
})
afterEach(async () => {
  await callAnvil(chain.rpcUrl, 'evm_revert', [untouched])
})
afterAll(async () => await chain.stop())

describe('REG-05 a wallet that calls back while it receives its stake', () => {
  test('gets one stake, whatever it calls then', async () => {
    await wallet.run(registering, registering)
    await wallet.callBackWith(
      deregistering(2n),
      deregistering(3n),
      deregistering(1n),
      encodeCall('updateEndpoint', [3n, 'x']),
      registering,
    )
    const before = await balanceOf(chain, wallet.address)
    const receipt = await wallet.run(deregistering(2n))
    expect(tellCallbacks(receipt)).toEqual(Array.from({ length: 5 }, () => 'ReentrancyGuardReentrantCall'))
    expect(paidOut(receipt)).toEqual([2n])
    expect(await balanceOf(chain, wallet.address)).toBe(before + STAKE_WEI)
    await expectHeld(2n)
  })

  test('no longer owns its agent, and can neither transfer it nor approve an account', async () => {
    await wallet.run(registering)
    await wallet.callBackWith(
      encodeCall('transferFrom', [wallet.address, owner, 2n]),
      encodeCall('approve', [owner, 2n]),
      encodeCall('endpointOf', [2n]),
    )
    const receipt = await wallet.run(deregistering(2n))
    expect(tellCallbacks(receipt)).toEqual(Array.from({ length: 3 }, () => 'ERC721NonexistentToken'))
    await expectHeld(1n)
  })

  test('may transfer another of its agents meanwhile, whose stake goes to the new owner', async () => {
    await wallet.run(registering, registering)
    await wallet.callBackWith(encodeCall('transferFrom', [wallet.address, owner, 3n]))
    expect(tellCallbacks(await wallet.run(deregistering(2n)))).toEqual(['done'])
    await call(chain, owner, 'deregister', [3n])
    await expectHeld(1n)
  })
})

describe('several calls in one transaction', () => {
  test('REG-05 can each use the guard, because it is released after each call', async () => {
    const receipt = await wallet.run(registering, registering, deregistering(2n), deregistering(3n))
    expect(receipt.status).toBe('success')
    expect(paidOut(receipt)).toEqual([2n, 3n])
    await expectHeld(1n)
  })

  test('REG-05 are all reverted by a second deregister of the same agent', async () => {
    await wallet.run(registering)
    const twice = wallet.encodeRun(deregistering(2n), deregistering(2n))
    expect(await refusalOf(chain, twice)).toEqual(['ERC721NonexistentToken', 2n])
    expect((await wallet.run(deregistering(2n), deregistering(2n))).status).toBe('reverted')
    await expectHeld(2n)
  })
})

test('REG-05 a wallet that deregisters while it receives the token is paid once', async () => {
  await wallet.callBackWith(deregistering(1n))
  const before = await balanceOf(chain, wallet.address)
  const receipt = await call(chain, owner, 'safeTransferFrom', [owner, wallet.address, 1n])
  expect(tellCallbacks(receipt)).toEqual(['ReentrancyGuardReentrantCall', 'done'])
  expect(paidOut(receipt)).toEqual([1n])
  expect(await balanceOf(chain, wallet.address)).toBe(before + STAKE_WEI)
  await expectHeld(0n)
})

test('REG-05 registering runs no code of the caller', async () => {
  await wallet.callBackWith(registering)
  expect(tellCallbacks(await wallet.run(registering))).toEqual([])
  await expectHeld(2n)
})

describe('a wallet that refuses ether', () => {
  beforeEach(async () => {
    await wallet.run(registering)
    await wallet.refuseEther(true)
  })

  test('cannot deregister, gets the reason and loses nothing by trying', async () => {
    const attempt = wallet.encodeRun(deregistering(2n))
    expect(await refusalOf(chain, attempt)).toEqual(['StakeNotAccepted', 2n, wallet.address])
    expect((await wallet.run(deregistering(2n))).status).toBe('reverted')
    expect([await view(chain, 'ownerOf', [2n]), await view(chain, 'endpointOf', [2n])]).toEqual([
      wallet.address,
      endpoint,
    ])
    await expectHeld(2n)
  })

  test('can transfer its agent to an account that accepts the stake', async () => {
    await wallet.run(encodeCall('transferFrom', [wallet.address, owner, 2n]))
    await call(chain, owner, 'deregister', [2n])
    await expectHeld(1n)
  })

  test('does not prevent others from getting their stakes', async () => {
    await call(chain, owner, 'deregister', [1n])
    await expectHeld(1n)
  })
})

/** Returns the agents whose stake was paid according to a receipt. */
function paidOut(receipt: TransactionReceipt): readonly bigint[] {
  return tellEvents(receipt).flatMap(event =>
    event.eventName === 'AgentDeregistered' && 'agentId' in event ? [event.agentId] : [],
  )
}

async function expectHeld(agents: bigint): Promise<void> {
  expect(await view(chain, 'agentCount')).toBe(agents)
  expect(await balanceOf(chain, chain.agentRegistry)).toBe(agents * STAKE_WEI)
}
