import type { ChainVerdict } from '@farebox/payments/chain/find-settlement'
import { expect, test } from 'vitest'
import type { ReconciliationLedger, ForgottenCharge } from '../ledger/reconciliation-ledger.ts'
import { createPaymentForTests, createReaderForTests } from '../test-setup/receipts-for-tests.ts'
import { recoverCharge } from './recover-charge.ts'

const payment = createPaymentForTests()
const BINDING = `0x${'55'.repeat(32)}`
const SETTLED: ChainVerdict = { kind: 'settled', transaction: '0xabc', blockNumber: 7n }

async function recover(
  says: {
    readonly verdict?: ChainVerdict
    readonly sender?: string | undefined
    readonly binding?: string
    readonly wallets?: readonly string[]
    readonly isAdopted?: boolean
  } = {},
) {
  const adopted: ForgottenCharge[] = []
  const { verdict = SETTLED, binding = BINDING, wallets = [payment.authorization.to] } = says
  const sender = 'sender' in says ? says.sender : '0xrelayer'
  const reader = createReaderForTests({ verdict, ...(sender !== undefined && { sender }) })
  const audit: Pick<ReconciliationLedger, 'adopt'> = {
    adopt(charge) {
      adopted.push(charge)
      return Promise.resolve(says.isAdopted ?? true)
    },
  }
  const caller = { id: 'secret', owner: 'owner', wallets }
  const charge = await recoverCharge({ reader, audit }, caller, { payment, binding })
  return { charge, adopted }
}

test('a charge that the ledger has lost is recorded again for the job that asks, with its sender', async () => {
  const { charge, adopted } = await recover()
  expect(charge).toEqual({ kind: 'recovered', transaction: '0xabc' })
  expect(adopted).toEqual([
    {
      payment,
      binding: BINDING,
      owner: 'owner',
      secretId: 'secret',
      relayer: '0xrelayer',
      transaction: '0xabc',
      blockNumber: 7n,
    },
  ])
})

test.each([
  ['is asked about without a binding', { binding: payment.key }],
  ['pays a wallet that is not the caller’s', { wallets: ['0xother'] }],
  [
    'was cancelled',
    { verdict: { kind: 'spent-otherwise', transaction: '0x', how: 'cancelled', isFinal: true } as const },
  ],
])('no row is written for a payment that %s', async (_, says) => {
  expect(await recover(says)).toEqual({ charge: { kind: 'none' }, adopted: [] })
})

test.each([
  ['without the event', { verdict: { kind: 'unclear' } as const }],
  ['without the transaction', { sender: undefined }],
])('a node that shows a used payment %s is behind, so the charge is unclear', async (_, says) => {
  expect(await recover(says)).toEqual({ charge: { kind: 'unclear' }, adopted: [] })
})

test('no row is written for a payment that is unused on the chain, and the result is unused', async () => {
  const verdict = { kind: 'unused', headSeconds: 1, headNumber: 1n } as const
  expect(await recover({ verdict })).toEqual({ charge: { kind: 'unused' }, adopted: [] })
})

test('a row that contradicts the chain is not overwritten', async () => {
  expect((await recover({ isAdopted: false })).charge).toEqual({ kind: 'none' })
})
