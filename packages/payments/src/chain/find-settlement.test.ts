import { beforeEach, describe, expect, test } from 'vitest'
import {
  authorization,
  cancelled,
  event,
  HASH,
  network,
  STRANGER,
  transfer,
  used,
  VALID_BEFORE,
  word,
} from '../../testing/token-events.ts'
import { AUTHORIZATION_CANCELED_TOPIC } from './chain-proof.ts'
import type { ChainLog } from './chain-receipt.ts'
import { findSettlement, readHead } from './find-settlement.ts'
import { JsonRpcError, type JsonRpc } from './json-rpc.ts'

/** Our own clock: later than any head below. */
const NOW = VALID_BEFORE + 100_000

/** A chain with a block at a fixed interval, and the events added to it. */
interface PacedChain extends JsonRpc {
  readonly asked: { readonly method: string; readonly parameters: readonly unknown[] }[]
}

function createPacedChain(parts: {
  readonly headNumber: number
  readonly headSeconds: number
  readonly secondsPerBlock: number
  readonly useAt?: number
  readonly logs?: readonly ChainLog[]
  readonly flag?: unknown
  readonly receipt?: unknown
}): PacedChain {
  const asked: PacedChain['asked'] = []
  const logs = parts.logs ?? [used, transfer()]
  const quantity = (value: number): string => `0x${value.toString(16)}`
  const answers: { readonly [method: string]: (parameters: readonly unknown[]) => unknown } = {
    eth_getBlockByNumber: ([block]) => {
      const number = block === 'latest' ? parts.headNumber : Number(block)
      return {
        number: quantity(number),
        timestamp: quantity(
          Math.floor(parts.headSeconds - (parts.headNumber - number) * parts.secondsPerBlock),
        ),
      }
    },
    eth_call: () => parts.flag ?? word('1'),
    eth_getLogs: ([filter]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
      const end = toBlock === 'latest' ? parts.headNumber : Number(toBlock)
      if (Number(fromBlock) > end || end - Number(fromBlock) >= 5_000)
        throw new JsonRpcError('eth_getLogs', -32_602, 'bad range', null)
      const within = parts.useAt !== undefined && Number(fromBlock) <= parts.useAt && parts.useAt <= end
      return within ? [{ ...logs[0], transactionHash: HASH, blockNumber: quantity(parts.useAt ?? 0) }] : []
    },
    eth_getTransactionReceipt: () =>
      'receipt' in parts
        ? parts.receipt
        : {
            transactionHash: HASH,
            status: '0x1',
            blockNumber: quantity(parts.useAt ?? 0),
            blockHash: HASH,
            logs,
          },
  }
  return {
    asked,
    async call(method, parameters) {
      asked.push({ method, parameters })
      return await Promise.resolve(answers[method]?.(parameters))
    },
    close: async () => await Promise.resolve(),
  }
}

describe('looking for a settlement', () => {
  const base = { headNumber: 30_000_000, headSeconds: VALID_BEFORE + 200, secondsPerBlock: 2 }

  test('D10 an unused authorization is unused at the head that was read before the state', async () => {
    const chain = createPacedChain({ ...base, flag: word('0') })
    expect(await findSettlement(chain, network, authorization, NOW)).toEqual({
      kind: 'unused',
      headSeconds: base.headSeconds,
      headNumber: 30_000_000n,
    })
    expect(chain.asked.map(({ method }) => method)).toEqual(['eth_getBlockByNumber', 'eth_call'])
  })

  test.each([
    [30, 'unused'],
    [31, 'the node’s fault'],
  ])('D41a a head %i s ahead of our clock: %s', async (aheadSeconds, outcome) => {
    const chain = createPacedChain({ ...base, flag: word('0') })
    const verdict = findSettlement(chain, network, authorization, base.headSeconds - aheadSeconds)
    if (outcome === 'unused') expect((await verdict).kind).toBe('unused')
    else await expect(verdict).rejects.toThrow("the node's newest block is 31 s ahead of our clock")
  })

  test.each([
    ['Base', 2, 43_000],
    ['Ethereum', 12, 7_200],
    // A day of Arbitrum is 345,600 blocks: a search limited by another chain's interval would never reach its start.
    ['Arbitrum', 0.25, 345_000],
  ])('D8 a use of a day ago is found on %s', async (_, secondsPerBlock, blocksBack) => {
    const useAt = base.headNumber - blocksBack
    const chain = createPacedChain({ ...base, secondsPerBlock, useAt })
    expect(await findSettlement(chain, network, authorization, NOW)).toEqual({
      kind: 'settled',
      transaction: HASH,
      blockNumber: BigInt(useAt),
    })
  })

  test('the searched ranges omit no block and contain none twice, from the head down to the first', async () => {
    const chain = createPacedChain({ headNumber: 20_000, headSeconds: VALID_BEFORE, secondsPerBlock: 2 })
    expect(await findSettlement(chain, network, authorization, NOW)).toEqual({ kind: 'unclear' })
    const ranges = chain.asked
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ parameters: [filter] }) => filter as { readonly fromBlock: string; readonly toBlock: string })
    expect(ranges[0]?.toBlock).toBe('latest')
    expect(ranges.slice(1).map(({ toBlock }) => Number(toBlock) + 1)).toEqual(
      ranges.slice(0, -1).map(({ fromBlock }) => Number(fromBlock)),
    )
    expect(ranges.at(-1)?.fromBlock).toBe('0x0')
    expect(ranges.length).toBeGreaterThan(2)
  })

  test('a use that was just mined is found in the first request', async () => {
    const chain = createPacedChain({ ...base, useAt: base.headNumber })
    await findSettlement(chain, network, authorization, NOW)
    expect(chain.asked.map(({ method }) => method)).toEqual([
      'eth_getBlockByNumber',
      'eth_call',
      'eth_getLogs',
      'eth_getTransactionReceipt',
    ])
  })

  test.each([
    ['Ethereum', 12],
    ['Base', 2],
  ])('the search on %s ends a day and an hour before the authorization does', async (_, secondsPerBlock) => {
    const chain = createPacedChain({ ...base, secondsPerBlock })
    expect(await findSettlement(chain, network, authorization, NOW)).toEqual({ kind: 'unclear' })
    const searches = chain.asked.filter(({ method }) => method === 'eth_getLogs')
    expect(searches.length).toBe(Math.ceil((86_400 + 3_600 + 260) / secondsPerBlock / 4_900))
  })

  test('a chain that is younger is searched down to its first block', async () => {
    const chain = createPacedChain({ headNumber: 7, headSeconds: VALID_BEFORE, secondsPerBlock: 2 })
    expect(await findSettlement(chain, network, authorization, NOW)).toEqual({ kind: 'unclear' })
    expect(chain.asked.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(1)
  })

  test('PAY-10 a cancellation is no payment, but in a recent block it may still become one', async () => {
    const chain = createPacedChain({ ...base, useAt: base.headNumber - 5, logs: [cancelled] })
    expect(await findSettlement(chain, network, authorization, NOW)).toEqual({
      kind: 'spent-otherwise',
      transaction: HASH,
      how: 'cancelled',
      isFinal: false,
    })
  })

  test.each([
    [60, false],
    [61, true],
  ])('PAY-18 a cancellation %i blocks of two seconds back is final: %j', async (blocks, isFinal) => {
    const chain = createPacedChain({ ...base, useAt: base.headNumber - blocks, logs: [cancelled] })
    expect(await findSettlement(chain, network, authorization, NOW)).toMatchObject({
      how: 'cancelled',
      isFinal,
    })
  })

  test('D41a a cancellation is not final when the time of the node goes back an hour before its block is read', async () => {
    const chain = createPacedChain({ ...base, useAt: base.headNumber - 5, logs: [cancelled] })
    let heads = 0
    const call: JsonRpc['call'] = async (method, parameters) => {
      const answer = await chain.call(method, parameters)
      if (method !== 'eth_getBlockByNumber') return answer
      heads += 1
      const block = answer as { readonly number: string; readonly timestamp: string }
      return heads === 1
        ? block
        : { ...block, timestamp: `0x${(Number(block.timestamp) - 3_600).toString(16)}` }
    }
    expect(await findSettlement({ ...chain, call }, network, authorization, NOW)).toMatchObject({
      how: 'cancelled',
      isFinal: false,
    })
  })

  test('PAY-07 another transfer stays one, also when the same transaction cancels another payer’s equal nonce', async () => {
    const logs = [used, transfer({ to: STRANGER }), event(AUTHORIZATION_CANCELED_TOPIC, { from: STRANGER })]
    const chain = createPacedChain({ ...base, useAt: base.headNumber, logs })
    expect(await findSettlement(chain, network, authorization, NOW)).toEqual({
      kind: 'spent-otherwise',
      transaction: HASH,
      how: 'other-transfer',
      isFinal: false,
    })
  })

  test.each([null, undefined, {}])(
    'PAY-33 a use whose receipt the node does not have (%j) is unclear',
    async receipt => {
      const chain = createPacedChain({ ...base, useAt: base.headNumber, receipt })
      expect(await findSettlement(chain, network, authorization, NOW)).toEqual({ kind: 'unclear' })
    },
  )

  test.each(['0x', null, '0x01', { result: 1 }])(
    'PAY-39 rejects when the contract answers %j: it is not a USDC',
    async flag => {
      const chain: JsonRpc = {
        ...createPacedChain(base),
        call: async method =>
          await Promise.resolve(method === 'eth_call' ? flag : { number: '0x1', timestamp: '0x1' }),
      }
      await expect(findSettlement(chain, network, authorization, NOW)).rejects.toThrow(
        `is ${network.asset.address} USDC on this chain?`,
      )
    },
  )

  test('PAY-33 rejects when any of its requests is not answered', async () => {
    for (const silent of ['eth_getBlockByNumber', 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt']) {
      const chain = createPacedChain({ ...base, useAt: base.headNumber })
      const call: JsonRpc['call'] = async (method, parameters) =>
        method === silent
          ? await Promise.reject(new Error('no answer'))
          : await chain.call(method, parameters)
      await expect(findSettlement({ ...chain, call }, network, authorization, NOW), silent).rejects.toThrow(
        'no answer',
      )
    }
  })
})

describe('the head of the chain', () => {
  let answer: unknown
  const rpc: JsonRpc = {
    call: async () => await Promise.resolve(answer),
    close: async () => await Promise.resolve(),
  }

  beforeEach(() => {
    answer = { number: '0x10', timestamp: '0x6b49d200' }
  })

  test('is a number and a time', async () => {
    expect(await readHead(rpc)).toEqual({ number: 16n, seconds: 1_800_000_000 })
  })

  test.each([
    null,
    'x',
    {},
    { number: '0x1' },
    { number: null, timestamp: '0x1' },
    { number: '', timestamp: '' },
    { number: 1, timestamp: 1 },
  ])('PAY-33 rejects when the node returns %j for it', async block => {
    answer = block
    await expect(readHead(rpc)).rejects.toThrow('eth_getBlockByNumber: the node gave no block')
  })
})
