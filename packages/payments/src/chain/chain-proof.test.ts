import { describe, expect, test } from 'vitest'
import {
  authorization,
  cancelled,
  event,
  HASH,
  network,
  STRANGER,
  transfer,
  used,
  word,
} from '../../testing/token-events.ts'
import { AUTHORIZATION_USED_TOPIC, receiptProvesPayment } from './chain-proof.ts'
import type { ChainLog } from './chain-receipt.ts'

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

  test('PAY-16 they are a payment among foreign events too, in a batch, and with addresses in capitals', () => {
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
    // An event of another contract between the two does not separate them.
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

  test('D10 a reverted transaction is no payment, whatever it logged', () => {
    expect(proves([used, transfer()], false)).toBe(false)
  })
})
