import { expect, test } from 'vitest'
import { MAX_BATCH, type Relayer } from './account/relayer-account.ts'
import type { RelayerNode } from './account/relayer-node.ts'
import {
  beginTerm,
  chooseTerm,
  findFreeNonce,
  hasRoomInLane,
  isHeldUp,
  type SettlementLane,
  type RelayerTerm,
} from './relayer-term.ts'

/** A term of an account with this many transactions in flight, with nonces from 0 on. */
function termWith(address: string, open: number, lane: SettlementLane = 'together'): RelayerTerm {
  // Only the address of the relayer is used.
  const term = beginTerm({ address } as Relayer, { network: 'n', relayer: address, fence: 1n })
  for (let nonce = 0; nonce < open; nonce += 1)
    term.following.set(`${nonce}`, { nonce, lane, sinceMs: 0, done: Promise.resolve() })
  return term
}

test('the account with the fewest transactions in flight sends the next', () => {
  const [busy, free] = [termWith('0xa', 3), termWith('0xb', 1)]
  expect(chooseTerm([busy, free], 'together')).toBe(free)
  expect(chooseTerm([termWith('0xa', 16), busy], 'together')).toBe(busy)
  expect(chooseTerm([termWith('0xa', 16)], 'together')).toBeUndefined()
})

test('under light load all accounts send equally often', () => {
  const terms = [termWith('0xa', 0), termWith('0xb', 0), termWith('0xc', 0)]
  const senders = Array.from({ length: 6 }, () => {
    const term = chooseTerm(terms, 'together')
    if (term !== undefined) term.sent += 1
    return term?.relayer.address
  })
  expect(senders).toEqual(['0xa', '0xb', '0xc', '0xa', '0xb', '0xc'])
})

test('an account without gas money is passed over while another has some', () => {
  const [poor, rich] = [termWith('0xa', 0), termWith('0xb', 9)]
  const canPay = (relayer: string): boolean => relayer === '0xb'
  expect(chooseTerm([poor, rich], 'together', canPay)).toBe(rich)
  expect(chooseTerm([poor], 'together', canPay)).toBe(poor)
  const canPayFew = (relayer: string, payments: number): boolean => relayer === '0xb' && payments < 9
  expect(chooseTerm([poor, rich], 'together', canPayFew)).toBe(rich)
})

test('an account that may need its gas money for transactions in flight is passed over while another has more', () => {
  const [short, rich] = [termWith('0xa', 1), termWith('0xb', 2)]
  const canPay = (relayer: string, payments: number): boolean => relayer === '0xb' || payments <= MAX_BATCH
  expect(chooseTerm([short, rich], 'together', canPay)).toBe(rich)
})

test('an account with a stuck transaction is passed over while another is below its limit', () => {
  const [stuck, busy] = [termWith('0xa', 1), termWith('0xb', 9)]
  const isLast = (term: RelayerTerm): boolean => term === stuck && isHeldUp(term, 6_001, 2_000)
  expect(chooseTerm([stuck, busy], 'together', () => true, isLast)).toBe(busy)
  expect(chooseTerm([stuck, termWith('0xb', 16)], 'together', () => true, isLast)).toBe(stuck)
  expect(isHeldUp(stuck, 6_000, 2_000)).toBe(false)
})

test('D41 payments of accounts with unknown code go one at a time over all relayer accounts', () => {
  const [sending, idle] = [termWith('0xa', 1, 'alone'), termWith('0xb', 0)]
  expect(chooseTerm([sending, idle], 'alone')).toBeUndefined()
  expect(chooseTerm([sending, idle], 'together')).toBe(idle)
})

test('nothing is sent in a term that has ended', () => {
  const term = termWith('0xa', 0)
  term.end.abort()
  expect(hasRoomInLane(term, 'together')).toBe(false)
  expect(chooseTerm([term], 'together')).toBeUndefined()
})

test('PAY-31 a dropped transaction leaves a gap, and the next one fills it', async () => {
  const node = { nonce: () => Promise.resolve(0) } as unknown as RelayerNode
  const term = termWith('0xa', 3)
  expect(await findFreeNonce(node, term)).toBe(3)
  term.following.delete('1')
  expect(await findFreeNonce(node, term)).toBe(1)
})
