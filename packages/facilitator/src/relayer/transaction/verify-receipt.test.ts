import { findNetwork, type Network } from '@farebox/payments/networks'
import { expect, test } from 'vitest'
import type { PaymentRecord } from '../../ledger/payment-record.ts'
import type { OpenTransaction } from '../../ledger/settlement-ledger.ts'
import {
  createPaymentForTests,
  createReaderForTests,
  receiptFor,
} from '../../test-setup/receipts-for-tests.ts'
import { verifyChainReceipt, type ReceiptParts } from './verify-receipt.ts'

const network = findNetwork('eip155:84532') as Network
const payments = [1, 2].map(number => ({ ...createPaymentForTests(number), observedBlock: 90n }))
const [first, second] = payments.map(({ key }) => key)

interface Said {
  /** How many of the two payments the transaction still carries. */
  readonly carried?: number
  /** How many of the two payments the receipt proves. */
  readonly proven?: number
  readonly used?: readonly (string | undefined)[]
  readonly headNumber?: bigint
  /** The nonce of the relayer's account; the transaction has 4. */
  readonly nonce?: bigint
  readonly secondHas?: boolean
  readonly isInBlock?: boolean
  readonly shown?: readonly (string | undefined)[]
  readonly observedBlock?: bigint
}

async function judge(said: Said = {}) {
  const { proven = 2, used = [first, second], headNumber = 100n, nonce = 5n, observedBlock = 90n } = said
  const { isInBlock = true, shown = used } = said
  const keysOf = (keys: readonly (string | undefined)[]): readonly string[] => keys.flatMap(key => key ?? [])
  const noted: bigint[] = []
  // Only the parts of a relayer, its node and a row that are used.
  const parts = {
    network,
    reader: createReaderForTests({ used: keysOf(used), shown: keysOf(shown), headNumber, isInBlock }),
    node: { nonce: () => Promise.resolve(nonce) },
    relayer: { address: '0xrelayer' },
    confirmChain: () => Promise.resolve(),
    noteBlock: ({ number }: { readonly number: bigint }) => void noted.push(number),
    second:
      said.secondHas === undefined
        ? undefined
        : { hasReceipt: () => Promise.resolve(said.secondHas), agrees: () => Promise.resolve(true) },
  } as unknown as ReceiptParts
  const rows = payments
    .slice(0, said.carried)
    .map(payment => ({ ...payment, observedBlock })) as unknown as PaymentRecord[]
  const transaction = { nonce: 4n, payments: rows } as unknown as OpenTransaction
  const judged = await verifyChainReceipt(parts, transaction, receiptFor(network, payments.slice(0, proven)))
  return { ...judged, noted }
}

test('a receipt of a transaction without remaining payments still needs its block and its nonce', async () => {
  const none = { carried: 0, proven: 0, used: [] }
  expect(await judge(none)).toMatchObject({ kind: 'believed', paid: new Set() })
  expect(await judge({ ...none, isInBlock: false })).toMatchObject({ kind: 'doubted' })
  expect(await judge({ ...none, nonce: 4n })).toMatchObject({ kind: 'doubted' })
})

test('a receipt that the state confirms is accepted, and its block stored', async () => {
  expect(await judge()).toEqual({ kind: 'believed', paid: new Set([first, second]), noted: [100n] })
  expect(await judge({ proven: 1, used: [first] })).toMatchObject({
    kind: 'believed',
    paid: new Set([first]),
  })
})

test.each<[string, Said]>([
  ['shows a transfer whose authorization is unused', { used: [first] }],
  ['is in a block beyond the head', { headNumber: 99n }],
  ['shows a failure before the account used its nonce', { proven: 1, nonce: 4n }],
  ['shows a transfer that no event of its block shows: its payer cancelled', { shown: [first] }],
  ['shows a failure in a block that does not list it', { proven: 1, isInBlock: false }],
  ['the second node does not have', { secondHas: false }],
])('a receipt that %s is doubted, and its block not remembered', async (_, said) => {
  expect(await judge(said)).toMatchObject({ kind: 'doubted', noted: [] })
})

test('a receipt that two nodes have is accepted', async () => {
  expect((await judge({ secondHas: true })).kind).toBe('believed')
})

test('a transfer in a block before the one in which it was seen unpaid is too old to count at once', async () => {
  expect((await judge({ observedBlock: 101n })).kind).toBe('too-old')
  expect((await judge({ observedBlock: 100n })).kind).toBe('believed')
})
