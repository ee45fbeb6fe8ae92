import { beforeEach, describe, expect, test } from 'vitest'
import type { Authorization } from './authorization.ts'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  findSettlement,
  parseReceipt,
  readHead,
  receiptProvesPayment,
  TRANSFER_TOPIC,
  type ChainLog,
  type ChainReceipt,
} from './chain-proof.ts'
import { JsonRpcError, type JsonRpc } from './json-rpc.ts'
import { findNetwork, type Network } from './networks.ts'

const VALID_BEFORE = 1_800_000_060
const authorization: Authorization = {
  from: `0x${'11'.repeat(20)}`,
  to: `0x${'22'.repeat(20)}`,
  value: '10000',
  validAfter: '0',
  validBefore: String(VALID_BEFORE),
  nonce: `0x${'33'.repeat(32)}`,
}
const STRANGER = `0x${'44'.repeat(20)}`
const HASH = `0x${'ab'.repeat(32)}`
const network = knownNetwork('eip155:84532')

function knownNetwork(id: string): Network {
  const found = findNetwork(id)
  if (found === undefined) throw new Error(`no network ${id}`)
  return found
}

function word(hex: string): string {
  return `0x${hex.replace(/^0x/, '').padStart(64, '0')}`
}

function event(
  topic: string,
  changes: { readonly from?: string; readonly nonce?: string; readonly address?: string } = {},
): ChainLog {
  return {
    address: changes.address ?? network.asset.address,
    topics: [topic, word(changes.from ?? authorization.from), changes.nonce ?? authorization.nonce],
    data: '0x',
  }
}

function transfer(
  changes: {
    readonly from?: string
    readonly to?: string
    readonly value?: bigint
    readonly address?: string
    readonly data?: string
  } = {},
): ChainLog {
  return {
    address: changes.address ?? network.asset.address,
    topics: [TRANSFER_TOPIC, word(changes.from ?? authorization.from), word(changes.to ?? authorization.to)],
    data: changes.data ?? word((changes.value ?? 10_000n).toString(16)),
  }
}

const used = event(AUTHORIZATION_USED_TOPIC)
const cancelled = event(AUTHORIZATION_CANCELED_TOPIC)

function proves(logs: readonly ChainLog[], succeeded = true): boolean {
  return receiptProvesPayment(network, authorization, {
    transactionHash: HASH,
    succeeded,
    blockNumber: 1n,
    blockHash: HASH,
    logs,
  })
}

describe('what a receipt proves', () => {
  test('D10 success, the nonce used and the transfer after it are a payment', () => {
    expect(proves([used, transfer()])).toBe(true)
  })

  test('PAY-16 they are one among foreign events too, in a batch, and with addresses in capitals', () => {
    const other = { from: STRANGER, nonce: `0x${'55'.repeat(32)}` }
    const shouting = { address: `0x${network.asset.address.slice(2).toUpperCase()}` }
    expect(
      proves([
        event(AUTHORIZATION_USED_TOPIC, other),
        transfer(other),
        event(AUTHORIZATION_USED_TOPIC, shouting),
        transfer(shouting),
        transfer(other),
      ]),
    ).toBe(true)
    // An event of another contract between the two does not part them.
    expect(proves([used, transfer({ address: STRANGER }), transfer()])).toBe(true)
  })

  test.each<[string, readonly ChainLog[]]>([
    ['no events', []],
    ['PAY-17 a transfer without the use of the nonce', [transfer()]],
    ['the use without a transfer', [used]],
    ['PAY-10 a cancellation, even beside a transfer', [cancelled, transfer()]],
    ['another nonce', [event(AUTHORIZATION_USED_TOPIC, { nonce: `0x${'55'.repeat(32)}` }), transfer()]],
    [
      'another payer’s nonce of the same bytes',
      [event(AUTHORIZATION_USED_TOPIC, { from: STRANGER }), transfer()],
    ],
    ['a transfer by another payer', [used, transfer({ from: STRANGER })]],
    ['PAY-07 a transfer to another payee', [used, transfer({ to: STRANGER })]],
    ['a unit less', [used, transfer({ value: 9_999n })]],
    ['a unit more', [used, transfer({ value: 10_001n })]],
    [
      'the value 2^256 higher up',
      [used, transfer({ data: `0x${'1'.padEnd(64, '0')}${word('2710').slice(2)}` })],
    ],
    ['a transfer without data', [used, transfer({ data: '0x' })]],
    [
      'the events of another token',
      [event(AUTHORIZATION_USED_TOPIC, { address: STRANGER }), transfer({ address: STRANGER })],
    ],
    ['the use by ours, the transfer by another token', [used, transfer({ address: STRANGER })]],
    ['the transfer before the use', [transfer(), used]],
    [
      'a twin transfer of another nonce, while ours moved nothing to the payee',
      [
        used,
        transfer({ to: STRANGER }),
        event(AUTHORIZATION_USED_TOPIC, { nonce: `0x${'55'.repeat(32)}` }),
        transfer(),
      ],
    ],
    [
      'an approval in the transfer’s place',
      [used, { ...transfer(), topics: [word('1'), word(authorization.from), word(authorization.to)] }],
    ],
  ])('D10 %s is no payment', (_, logs) => {
    expect(proves(logs)).toBe(false)
  })

  test('D10 a reverted transaction is none, whatever it logged', () => {
    expect(proves([used, transfer()], false)).toBe(false)
  })
})

describe('a receipt from a node', () => {
  const raw = {
    transactionHash: HASH.toUpperCase().replace('0X', '0x'),
    status: '0x1',
    blockNumber: '0x10',
    blockHash: HASH,
    logs: [used, transfer()],
  }

  test('is read in our terms', () => {
    const receipt: ChainReceipt = {
      transactionHash: HASH,
      succeeded: true,
      blockNumber: 16n,
      blockHash: HASH,
      logs: [used, transfer()],
    }
    expect(parseReceipt({ ...raw, gasUsed: '0x1' })).toEqual(receipt)
  })

  test.each(['0x0', '0x2', undefined, 1, true])('with status %s has not succeeded', status => {
    expect(parseReceipt({ ...raw, status })?.succeeded).toBe(false)
  })

  test('loses logs that are none', () => {
    const logs = [
      null,
      7,
      { ...used, address: 1 },
      { ...used, topics: 'x' },
      { ...used, data: 'zz' },
      { ...used, data: 1n },
      used,
    ]
    expect(parseReceipt({ ...raw, logs })?.logs).toEqual([used])
  })

  test.each([
    null,
    undefined,
    'x',
    7,
    [],
    {},
    { ...raw, transactionHash: null },
    { ...raw, blockNumber: null },
    { ...raw, blockNumber: 'latest' },
    { ...raw, blockNumber: '0x' },
    { ...raw, blockNumber: '-1' },
    { ...raw, blockHash: null },
    { ...raw, logs: null },
  ])('PAY-33 is none where it lacks a part or is pending: %j', value => {
    expect(parseReceipt(value)).toBeUndefined()
  })
})

/** A chain with a block every so often, and the events that are put on it. */
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

  test('D10 an authorization that nothing used is unused, at the head that was read before the flag', async () => {
    const chain = createPacedChain({ ...base, flag: word('0') })
    expect(await findSettlement(chain, network, authorization)).toEqual({
      kind: 'unused',
      headSeconds: base.headSeconds,
      headNumber: 30_000_000n,
    })
    expect(chain.asked.map(({ method }) => method)).toEqual(['eth_getBlockByNumber', 'eth_call'])
  })

  test.each([
    ['Base', 2, 43_000],
    ['Ethereum', 12, 7_200],
    // A day of Arbitrum is 345,600 blocks: counting blocks by another chain's pace would never get there.
    ['Arbitrum', 0.25, 345_000],
  ])('D8 a use is found a day back on %s', async (_, secondsPerBlock, blocksBack) => {
    const useAt = base.headNumber - blocksBack
    const chain = createPacedChain({ ...base, secondsPerBlock, useAt })
    expect(await findSettlement(chain, network, authorization)).toEqual({
      kind: 'settled',
      transaction: HASH,
      blockNumber: BigInt(useAt),
    })
  })

  test('the ranges searched leave no block out and take none twice, from the head down to the first', async () => {
    const chain = createPacedChain({ headNumber: 20_000, headSeconds: VALID_BEFORE, secondsPerBlock: 2 })
    expect(await findSettlement(chain, network, authorization)).toEqual({ kind: 'unclear' })
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

  test('a use just mined is found in the first look', async () => {
    const chain = createPacedChain({ ...base, useAt: base.headNumber })
    await findSettlement(chain, network, authorization)
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
    expect(await findSettlement(chain, network, authorization)).toEqual({ kind: 'unclear' })
    const searches = chain.asked.filter(({ method }) => method === 'eth_getLogs')
    expect(searches.length).toBe(Math.ceil((86_400 + 3_600 + 260) / secondsPerBlock / 4_900))
  })

  test('a chain that is younger than that is searched down to its first block', async () => {
    const chain = createPacedChain({ headNumber: 7, headSeconds: VALID_BEFORE, secondsPerBlock: 2 })
    expect(await findSettlement(chain, network, authorization)).toEqual({ kind: 'unclear' })
    expect(chain.asked.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(1)
  })

  test('PAY-10 a cancellation can never become a payment', async () => {
    const chain = createPacedChain({ ...base, useAt: base.headNumber - 5, logs: [cancelled] })
    expect(await findSettlement(chain, network, authorization)).toEqual({
      kind: 'spent-otherwise',
      transaction: HASH,
      how: 'cancelled',
    })
  })

  test('PAY-07 another transfer stays one, also where the same transaction cancels somebody else’s equal nonce', async () => {
    const logs = [used, transfer({ to: STRANGER }), event(AUTHORIZATION_CANCELED_TOPIC, { from: STRANGER })]
    const chain = createPacedChain({ ...base, useAt: base.headNumber, logs })
    expect(await findSettlement(chain, network, authorization)).toEqual({
      kind: 'spent-otherwise',
      transaction: HASH,
      how: 'other-transfer',
    })
  })

  test.each([null, undefined, {}])(
    'PAY-33 a use whose receipt the node does not have (%j) is unclear',
    async receipt => {
      const chain = createPacedChain({ ...base, useAt: base.headNumber, receipt })
      expect(await findSettlement(chain, network, authorization)).toEqual({ kind: 'unclear' })
    },
  )

  test.each(['0x', null, '0x01', { result: 1 }])(
    'PAY-39 rejects where the contract answers %j: it is no USDC',
    async flag => {
      const chain: JsonRpc = {
        ...createPacedChain(base),
        call: async method =>
          await Promise.resolve(method === 'eth_call' ? flag : { number: '0x1', timestamp: '0x1' }),
      }
      await expect(findSettlement(chain, network, authorization)).rejects.toThrow(
        `is ${network.asset.address} USDC on this chain?`,
      )
    },
  )

  test('PAY-33 rejects where any of its questions is not answered', async () => {
    for (const silent of ['eth_getBlockByNumber', 'eth_call', 'eth_getLogs', 'eth_getTransactionReceipt']) {
      const chain = createPacedChain({ ...base, useAt: base.headNumber })
      const call: JsonRpc['call'] = async (method, parameters) =>
        method === silent
          ? await Promise.reject(new Error('no answer'))
          : await chain.call(method, parameters)
      await expect(findSettlement({ ...chain, call }, network, authorization), silent).rejects.toThrow(
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
  ])('PAY-33 rejects where the node gives %j for it', async block => {
    answer = block
    await expect(readHead(rpc)).rejects.toThrow('eth_getBlockByNumber: the node gave no block')
  })
})
