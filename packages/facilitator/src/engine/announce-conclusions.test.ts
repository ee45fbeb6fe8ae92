import { expect, test } from 'vitest'
import { concludedSignal } from '../ledger/postgres/signal-payload.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import { announceConclusions } from './announce-conclusions.ts'

test('a waiter whose payment fails with its payer, without a conclusion of its own, reads the ledger as well', () => {
  const failed: Conclusion = {
    key: `84532:asset:payer:0x${'1'.repeat(64)}`,
    from: 'captured',
    to: 'failed',
    failure: { reason: 'r', message: 'm' },
    transaction: '',
    blamed: true,
  }
  const asked: (readonly string[] | undefined)[] = []
  const waiters = {
    wait: () => Promise.resolve(undefined),
    announce: () => undefined,
    lookAgain: (keys: readonly string[] | undefined) => void asked.push(keys),
  }
  for (const one of [failed, { ...failed, dropsPayer: true }]) announceConclusions(waiters, [one])
  expect(asked).toEqual([['1'.repeat(12)], undefined])
  expect(concludedSignal([failed])).toMatchObject({ payments: ['1'.repeat(12)] })
  expect(concludedSignal([failed, { ...failed, dropsPayer: true }])).toMatchObject({ payments: undefined })
})
