import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { encodeAbiParameters, encodeEventTopics } from 'viem'
import { describe, expect, test } from 'vitest'
import { foldEvents } from './fold-events.ts'
import type { ContractLog } from '../../contract-events/read-chain.ts'
import { EVENT_TOPICS, readRegistryLog } from './registry-contract.ts'

const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const ZERO = `0x${'0'.repeat(40)}` as const
const STRING_AND_UINT = [{ type: 'string' }, { type: 'uint256' }] as const

function registered(agentId: bigint, data: `0x${string}`): ContractLog {
  const args = { agentId, owner: OWNER } as const
  const topics = encodeEventTopics({ abi: agentRegistryAbi, eventName: 'AgentRegistered', args })
  return {
    blockNumber: 7,
    logIndex: 3,
    topics: topics as `0x${string}`[],
    data,
    transaction: '0xabc',
    blockAtMs: 5_000,
  }
}

const endpoint = (text: string): `0x${string}` => encodeAbiParameters(STRING_AND_UINT, [text, 10n ** 15n])

describe('a log', () => {
  test('is decoded to its event, with the owner in lower case', () => {
    expect(readRegistryLog(registered(1n, endpoint('https://a.example')))).toEqual({
      blockNumber: 7,
      logIndex: 3,
      agentId: 1,
      kind: 'registered',
      owner: OWNER.toLowerCase(),
      endpoint: 'https://a.example',
      stakeWei: 10n ** 15n,
      transaction: '0xabc',
      blockAtMs: 5_000,
    })
  })

  test('with a NUL in its endpoint, which PostgreSQL cannot store, is read with a replacement character', () => {
    expect(readRegistryLog(registered(1n, endpoint('https://a\0.example')))?.endpoint).toBe(
      'https://a\uFFFD.example',
    )
  })

  test.each([
    ['a NUL', '\0https://a.example', '\uFFFDhttps://a.example'],
    ['a byte order mark', '\uFEFFhttps://a.example', '\uFEFFhttps://a.example'],
  ])('whose endpoint begins with %s differs from one that does not', (_what, said, read) => {
    expect(readRegistryLog(registered(1n, endpoint(said)))?.endpoint).toBe(read)
  })

  test('whose text is not UTF-8 is still read', () => {
    const bytes = endpoint('abcd').replace('61626364', 'ff00c328') as `0x${string}`
    expect(readRegistryLog(registered(1n, bytes))?.endpoint).toMatch(/^[\uFFFD(]+$/)
  })

  test('with an endpoint longer than the contract accepts is cut', () => {
    expect(readRegistryLog(registered(1n, endpoint('x'.repeat(1e5))))?.endpoint).toHaveLength(2_048)
  })

  test.each<[string, ContractLog]>([
    ['nothing', registered(1n, '0x')],
    ['an offset to nowhere', registered(1n, `0x${'f'.repeat(128)}`)],
    ['an id beyond every number', registered(2n ** 256n - 1n, endpoint('a'))],
    ['the id 0', registered(0n, endpoint('a'))],
    ['no topics', { ...registered(1n, endpoint('a')), topics: [] }],
    ['a topic that is none of ours', { ...registered(1n, endpoint('a')), topics: [`0x${'1'.repeat(64)}`] }],
  ])('with %s is ignored', (_, log) => {
    expect(readRegistryLog(log)).toBeUndefined()
  })

  test('of a mint or a burn is ignored: another event describes it better', () => {
    for (const args of [
      { from: ZERO, to: OWNER, tokenId: 1n },
      { from: OWNER, to: ZERO, tokenId: 1n },
    ] as const) {
      const topics = encodeEventTopics({
        abi: agentRegistryAbi,
        eventName: 'Transfer',
        args,
      }) as `0x${string}`[]
      expect(readRegistryLog({ ...registered(1n, '0x'), topics })).toBeUndefined()
    }
  })
})

test('each followed event has a topic of its own', () => {
  expect(new Set(EVENT_TOPICS).size).toBe(4)
})

test('events are reduced to the state of an agent; events before its registration are ignored', () => {
  const base = { blockNumber: 1, logIndex: 0, agentId: 1, transaction: '0x1', blockAtMs: 0 }
  const other = `0x${'b2'.repeat(20)}`
  const moved = {
    ...base,
    kind: 'transferred',
    owner: other,
    endpoint: undefined,
    stakeWei: undefined,
  } as const
  const first = { ...base, kind: 'registered', owner: OWNER, endpoint: 'a', stakeWei: 5n } as const
  const updated = { ...moved, kind: 'endpoint-updated', endpoint: 'b' } as const
  expect(foldEvents([])).toBeUndefined()
  expect(foldEvents([moved])).toBeUndefined()
  expect(foldEvents([first, moved, updated])).toMatchObject({
    isRegistered: true,
    owner: other,
    endpoint: 'b',
    stakeWei: 5n,
    registeredTransaction: '0x1',
  })
  expect(foldEvents([first, { ...moved, kind: 'deregistered' }])).toMatchObject({ isRegistered: false })
})
