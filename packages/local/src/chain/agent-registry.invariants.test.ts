import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import * as fc from 'fast-check'
import type { Abi, Address, TransactionReceipt } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHostileWallet, tellCallbacks } from '../testing/hostile-wallet.ts'
import type { HostileWallet } from '../testing/hostile-wallet.ts'
import { encodeCall, reader, send, tellEvents } from '../testing/registry-calls.ts'
import { applyAttempt, emptyModel } from '../testing/registry-model.ts'
import type { Attempt, RegistryModel } from '../testing/registry-model.ts'
import { callAnvil, callAnvilForText } from './anvil-rpc.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

// Three honest accounts, a wallet that calls back whenever it is paid, and one that refuses payments make random calls.
// After each attempt the state of the chain must equal that of the model in testing/registry-model.ts.

/** The number of sequences; the weekly run uses many more. */
const RUNS = Number(process.env['CONTRACT_RUNS'] ?? 10)
const ATTEMPTS = 50

/** A step as it is generated; its indexes are reduced to the existing range when it runs. */
interface Step {
  readonly kind: Attempt['kind']
  readonly sender: number | 'the owner' | 'the approved'
  readonly agent: number
  readonly other: number
  readonly endpointLength: number
  readonly valueWei: bigint
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Attempt['kind'][]>(
    ...(['register', 'register', 'register', 'updateEndpoint', 'transferFrom', 'transferFrom'] as const),
    ...(['approve', 'deregister', 'deregister', 'plain ether'] as const),
  ),
  sender: fc.oneof(
    fc.nat(4),
    fc.constantFrom('the owner' as const, 'the owner' as const, 'the approved' as const),
  ),
  agent: fc.nat(1_000),
  other: fc.nat(4),
  endpointLength: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(1, 31, 32, 60, 2048) },
    fc.constantFrom(0, 2049),
  ),
  valueWei: fc.oneof(
    { weight: 5, arbitrary: fc.constant(STAKE_WEI) },
    fc.constantFrom(0n, STAKE_WEI - 1n, STAKE_WEI + 1n),
  ),
})

let chain: LocalChain
let caller: HostileWallet
let refuser: HostileWallet
let actors: readonly Address[]

beforeAll(async () => {
  chain = await startChain()
  caller = await createHostileWallet(chain)
  refuser = await createHostileWallet(chain)
  const again = [1n, 2n, 3n, 4n].map(agentId => encodeCall('deregister', [agentId]))
  await caller.callBackWith(...again, encodeCall('register', ['x']))
  await refuser.refuseEther(true)
  const honest = [TEST_KEYS.agent, TEST_KEYS.secondAgent, TEST_KEYS.thirdAgent].map(key => key.address)
  actors = [...honest, caller.address, refuser.address]
})
afterAll(async () => await chain.stop())

test('REG-05 any sequence of calls keeps: Σ stakes = balance, one withdrawal a stake, no id twice, the owner alone', async () => {
  const seen = { succeeded: 0, refused: 0, withdrawn: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: ATTEMPTS, size: 'max' }), async steps => {
      const untouched = await callAnvilForText(chain.rpcUrl, 'evm_snapshot', [])
      const model = emptyModel()
      for (const drawn of steps) {
        const { sender, attempt } = place(drawn, model)
        const succeeds = await tryIt(sender, attempt, model)
        seen[succeeds ? 'succeeded' : 'refused'] += 1
      }
      await withdrawAll(model)
      seen.withdrawn += model.paidOut.length
      await callAnvil(chain.rpcUrl, 'evm_revert', [untouched])
    }),
    { numRuns: RUNS },
  )
  console.log('AgentRegistry attempts', seen)
  expect(seen.withdrawn).toBeGreaterThan(RUNS)
})

/**
 * Checks solvency: every account that accepts ether gets each of its stakes, and the rest belongs to the refusing wallet.
 */
async function withdrawAll(model: RegistryModel): Promise<void> {
  for (const [agentId, { owner }] of model.agents) {
    await tryIt(owner, { kind: 'deregister', agentId }, model)
  }
  for (const { owner } of model.agents.values()) expect(owner).toBe(refuser.address)
  expect(new Set(model.paidOut).size).toBe(model.paidOut.length)
}

async function tryIt(sender: Address, attempt: Attempt, model: RegistryModel): Promise<boolean> {
  const paidBefore = model.paidOut.length
  const idBefore = model.lastAgentId
  const succeeds = applyAttempt(model, sender, attempt, sender !== refuser.address)
  const receipt = await perform(sender, attempt)
  expect(receipt.status).toBe(succeeds ? 'success' : 'reverted')
  expect(tellIds(receipt, 'AgentDeregistered')).toEqual(model.paidOut.slice(paidBefore))
  expect(tellIds(receipt, 'AgentRegistered')).toEqual(
    model.lastAgentId === idBefore ? [] : [model.lastAgentId],
  )
  expect(tellCallbacks(receipt)).not.toContain('done')
  await expectModel(model)
  return succeeds
}

async function perform(from: Address, attempt: Attempt): Promise<TransactionReceipt> {
  const to = chain.agentRegistry
  const wallet = [caller, refuser].find(one => one.address === from)
  if (attempt.kind === 'plain ether') {
    return wallet === undefined
      ? await send(chain, { from, to, valueWei: STAKE_WEI })
      : await wallet.run('0x')
  }
  const callData = encodeCall(attempt.kind, argumentsOf(attempt))
  if (wallet !== undefined) return await wallet.run(callData)
  const valueWei = attempt.kind === 'register' ? attempt.valueWei : 0n
  return await send(chain, { from, to, valueWei, callData })
}

function argumentsOf(attempt: Exclude<Attempt, { kind: 'plain ether' }>): readonly unknown[] {
  if (attempt.kind === 'register') return [attempt.endpoint]
  if (attempt.kind === 'updateEndpoint') return [attempt.agentId, attempt.endpoint]
  if (attempt.kind === 'transferFrom') return [attempt.from, attempt.to, attempt.agentId]
  return attempt.kind === 'approve' ? [attempt.to, attempt.agentId] : [attempt.agentId]
}

/** Reads the whole registry in one call and compares it with the model. */
async function expectModel(model: RegistryModel): Promise<void> {
  const abi: Abi = agentRegistryAbi
  const ask = (functionName: string, ...args: readonly unknown[]) => ({
    address: chain.agentRegistry,
    abi,
    functionName,
    args,
  })
  const ids = Array.from({ length: Number(model.lastAgentId) }, (_, index) => BigInt(index + 1))
  const results = await reader(chain).multicall({
    multicallAddress: MULTICALL3_ADDRESS,
    batchSize: 0,
    contracts: [
      { ...ask('getEthBalance', chain.agentRegistry), address: MULTICALL3_ADDRESS, abi: multicall3Abi },
      ask('agentCount'),
      ask('lastAgentId'),
      ...actors.map(actor => ask('balanceOf', actor)),
      ...ids.map(id => ask('ownerOf', id)),
      ...ids.map(id => ask('endpointOf', id)),
    ],
  })
  const count = BigInt(model.agents.size)
  const owners = [...model.agents.values()].map(agent => agent.owner)
  expect(results.map(one => (one.status === 'success' ? one.result : undefined))).toEqual([
    count * STAKE_WEI,
    count,
    model.lastAgentId,
    ...actors.map(actor => BigInt(owners.filter(owner => owner === actor).length)),
    ...ids.map(id => model.agents.get(id)?.owner),
    ...ids.map(id => model.agents.get(id)?.endpoint),
  ])
}

function place(drawn: Step, model: RegistryModel): { sender: Address; attempt: Attempt } {
  // An id before the first and one after the last are also generated.
  const agentId = BigInt(drawn.agent % (Number(model.lastAgentId) + 2))
  const agent = model.agents.get(agentId)
  const owner = agent?.owner ?? actorAt(drawn.other)
  const trusted = drawn.sender === 'the approved' ? (agent?.approved ?? owner) : owner
  const sender = typeof drawn.sender === 'number' ? actorAt(drawn.sender) : trusted
  const to = actorAt(drawn.other)
  const endpoint = 'x'.repeat(drawn.endpointLength)
  // The wallets add the correct stake to their calls themselves.
  const valueWei = sender === caller.address || sender === refuser.address ? STAKE_WEI : drawn.valueWei
  const { kind } = drawn
  if (kind === 'register') return { sender, attempt: { kind, endpoint, valueWei } }
  if (kind === 'transferFrom') return { sender, attempt: { kind, agentId, from: owner, to } }
  if (kind === 'plain ether') return { sender, attempt: { kind } }
  return { sender, attempt: { kind, agentId, endpoint, to } }
}

function actorAt(index: number): Address {
  const actor = actors[index]
  if (actor === undefined) throw new Error(`there is no actor ${index}`)
  return actor
}

function tellIds(receipt: TransactionReceipt, eventName: string): readonly bigint[] {
  return tellEvents(receipt).flatMap(event =>
    event.eventName === eventName && 'agentId' in event ? [event.agentId] : [],
  )
}
