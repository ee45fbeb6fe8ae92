import { setTimeout as delay } from 'node:timers/promises'
import type { ChainPayment } from './chain-record.ts'
import type { Settled } from './loads.ts'
import type { SignedPayment } from './signed-payments.ts'

/** A settled row of the ledger. */
export interface LedgerRow {
  readonly nonce: string
  readonly valueAtomic: bigint
  readonly transaction: string
  readonly block: number
}

/** Throws unless each payment was answered with the transaction that the chain has it in, once, at its value. */
export function checkAnswers(
  payments: readonly SignedPayment[],
  { transactions }: Settled,
  onChain: readonly ChainPayment[],
): void {
  const found = byNonce(onChain, 'the chain')
  if (onChain.length !== payments.length)
    throw new Error(`${payments.length} payments were settled, the chain has ${onChain.length}`)
  for (const [index, { nonce, valueAtomic }] of payments.entries()) {
    const paid = found.get(nonce)
    if (paid === undefined) throw new Error(`the chain does not have the payment ${nonce}`)
    if (paid.transaction !== transactions[index])
      throw new Error(`${nonce} is in ${paid.transaction}, the answer named ${transactions[index]}`)
    if (paid.valueAtomic !== valueAtomic)
      throw new Error(`${nonce} moved ${paid.valueAtomic}, it was to move ${valueAtomic}`)
  }
}

/** A row may be written a moment after the answer is given. */
const LEDGER_PATIENCE_MS = 10_000
const LOOK_EVERY_MS = 100

/**
 * Throws unless the settled rows are the chain's payments, one for one: the same count and sum, each nonce once, in the same
 * transaction and block. Gives rows that are still being written a moment.
 */
export async function checkLedger(
  readLedger: () => Promise<readonly LedgerRow[]>,
  onChain: readonly ChainPayment[],
): Promise<void> {
  const giveUpMs = performance.now() + LEDGER_PATIENCE_MS
  let rows = await readLedger()
  while (rows.length < onChain.length && performance.now() < giveUpMs) {
    await delay(LOOK_EVERY_MS)
    rows = await readLedger()
  }
  const [ledger, chain] = [byNonce(rows, 'the ledger'), byNonce(onChain, 'the chain')]
  if (ledger.size !== chain.size || sumOf(rows) !== sumOf(onChain))
    throw new Error(
      `the ledger has ${ledger.size} settled payments of ${sumOf(rows)} atomic units, the chain ${chain.size} of ${sumOf(onChain)}`,
    )
  for (const [nonce, paid] of chain) {
    const row = ledger.get(nonce)
    const agrees =
      row !== undefined &&
      row.valueAtomic === paid.valueAtomic &&
      row.transaction === paid.transaction &&
      row.block === paid.block
    if (!agrees)
      throw new Error(`the ledger does not have ${nonce} as the chain has it, in ${paid.transaction}`)
  }
}

function byNonce<T extends { readonly nonce: string }>(
  payments: readonly T[],
  where: string,
): ReadonlyMap<string, T> {
  const found = new Map(payments.map(payment => [payment.nonce, payment]))
  if (found.size !== payments.length)
    throw new Error(`${where} has ${payments.length} payments of ${found.size} nonces`)
  return found
}

function sumOf(payments: readonly { readonly valueAtomic: bigint }[]): bigint {
  return payments.reduce((sum, { valueAtomic }) => sum + valueAtomic, 0n)
}
