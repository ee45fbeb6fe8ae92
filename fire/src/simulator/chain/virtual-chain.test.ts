import { beforeEach, expect, test } from 'vitest'
import { createTrace } from '../history-trace.ts'
import { createRandom } from '../seeded-random.ts'
import { createToken, type TokenCall } from './token.ts'
import { BLOCK_MS, createVirtualChain, type ChainTransaction, type VirtualChain } from './virtual-chain.ts'

const [PAYER, PAYEE, RELAYER] = ['0xaa', '0xbb', '0xcc'].map(address => address.padEnd(42, '0')) as [
  string,
  string,
  string,
]
const NONCE = `0x${'1'.repeat(64)}`

let nowMs: number
let chain: VirtualChain

beforeEach(() => {
  nowMs = 1_000_000 * BLOCK_MS
  chain = createVirtualChain({
    nowMs: () => nowMs,
    random: createRandom(1),
    trace: createTrace(() => nowMs, false),
    token: createToken('0xusdc', (_, signature) => signature === 'good'),
    state: { balances: new Map([[PAYER, 100n]]), spent: new Map(), isPaused: false },
  })
})

const pass = (blocks: number): void => {
  nowMs += blocks * BLOCK_MS
}
const pay = (changes: { readonly value?: string; readonly signature?: string } = {}): TokenCall => ({
  kind: 'pay',
  authorization: {
    from: PAYER,
    to: PAYEE,
    value: changes.value ?? '60',
    validAfter: '0',
    validBefore: String(nowMs / 1_000 + 60),
    nonce: NONCE,
  },
  signature: changes.signature ?? 'good',
})
const transaction = (
  hash: string,
  calls: readonly TokenCall[],
  changes: Partial<ChainTransaction> = {},
): ChainTransaction => ({ hash, sender: RELAYER, nonce: 0, calls, maxFeePerGas: 100n, ...changes })

test('a payment moves money once: a second one with its nonce is reverted', () => {
  chain.submit(transaction('0x1', [pay()]), 0)
  chain.submit(transaction('0x2', [pay()], { nonce: 1 }), 0)
  pass(1)
  expect(chain.find('0x1')?.mined).toMatchObject({ succeeded: true, logs: [{}, {}] })
  expect(chain.find('0x2')?.mined).toMatchObject({ succeeded: false, logs: [] })
  expect(chain.head().state.balances.get(PAYEE)).toBe(60n)
})

test('each payment in a batch fails alone, and the transaction still succeeds', () => {
  chain.submit(transaction('0x1', [pay({ signature: 'forged' }), pay(), pay({ value: '41' })]), 0)
  pass(1)
  expect(chain.find('0x1')?.mined).toMatchObject({ succeeded: true, logs: [{}, {}] })
})

test('an account’s transactions are mined in nonce order, and wait for the previous one', () => {
  chain.submit(transaction('0x2', [{ kind: 'pause' }], { nonce: 1 }), 0)
  pass(2)
  expect(chain.find('0x2')).toBeUndefined()
  chain.submit(transaction('0x1', [{ kind: 'unpause' }]), 0)
  pass(1)
  expect(chain.find('0x2')?.block.number).toBe(chain.find('0x1')?.block.number)
  expect(chain.submit(transaction('0x3', []), 0)).toBe('nonce too low')
})

test('a replacement needs a fee a tenth higher, and then takes the place of the first', () => {
  chain.submit(transaction('0x1', [pay()]), 0)
  expect(chain.submit(transaction('0x1', [pay()]), 0)).toBe('already known')
  expect(chain.submit(transaction('0x2', [pay()], { maxFeePerGas: 109n }), 0)).toBe(
    'replacement transaction underpriced',
  )
  expect(chain.submit(transaction('0x3', [pay()], { maxFeePerGas: 110n }), 0)).toBeUndefined()
  pass(1)
  expect(chain.find('0x1')).toBeUndefined()
  expect(chain.find('0x3')?.mined.succeeded).toBe(true)
})

test('a reorganisation undoes the transactions in its blocks; those still in the pool are mined again', () => {
  chain.submit(transaction('0x1', [pay()]), 0)
  pass(1)
  const before = chain.find('0x1')?.block
  pass(1)
  chain.reorganise(2, () => BLOCK_MS)
  expect(chain.find('0x1')?.block.number).toBe((before?.number ?? 0) + 1)
  chain.reorganise(5, () => 'forgotten')
  expect(chain.find('0x1')).toBeUndefined()
  expect(chain.head().state.balances.get(PAYER)).toBe(100n)
  expect(chain.head().counts.get(RELAYER)).toBeUndefined()
})

test('a node that is behind shows the state of its own block', () => {
  chain.submit(transaction('0x1', [pay()]), 0)
  pass(1)
  expect(chain.head(1).state.balances.get(PAYER)).toBe(100n)
  expect(chain.head(0).state.balances.get(PAYER)).toBe(40n)
})
