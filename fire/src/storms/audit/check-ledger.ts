import pg from 'pg'
import { LEDGER_SCHEMA } from '../stage/parties.ts'
import type { Stage } from '../stage/stage.ts'
import { authorizationKey, type ChainRecord } from './read-chain.ts'

/** A row of the facilitators' ledger, as the database has it. */
interface LedgerRow {
  readonly payer: string
  readonly nonce: string
  readonly state: string
  readonly payTo: string
  readonly valueAtomic: bigint
  /** Empty where there is none. */
  readonly transaction: string
  readonly blockNumber: bigint | undefined
}

/** Reads the ledger past the facilitators, row by row. Rejects where the database cannot be reached. */
export async function readLedger({ databaseUrl }: Pick<Stage, 'databaseUrl'>): Promise<readonly LedgerRow[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{
      payer: string
      nonce: string
      state: string
      pay_to: string
      value: string
      transaction_hash: string
      block_number: string | null
    }>(
      `select payer, nonce, state, pay_to, value, transaction_hash, block_number from ${LEDGER_SCHEMA}.payments`,
    )
    return rows.map(row => ({
      payer: row.payer,
      nonce: row.nonce,
      state: row.state,
      payTo: row.pay_to,
      valueAtomic: BigInt(row.value),
      transaction: row.transaction_hash,
      blockNumber: row.block_number === null ? undefined : BigInt(row.block_number),
    }))
  } finally {
    await client.end()
  }
}

/** States in which a payment was not charged and, without its agent, will not be. */
const UNCHARGED = new Set(['held', 'released', 'expired', 'failed'])

/** The ledger is the chain, row by row (I7): what moved is settled, as it moved, and nothing else is. */
export function checkLedger(rows: readonly LedgerRow[], { payments }: ChainRecord): readonly string[] {
  const findings: string[] = []
  const keys = new Set<string>()
  for (const row of rows) {
    const key = authorizationKey(row)
    keys.add(key)
    const payment = payments.get(key)
    if (payment === undefined) {
      if (!UNCHARGED.has(row.state))
        findings.push(`the ledger has ${key} as ${row.state}, the chain has nothing`)
      continue
    }
    if (
      row.state !== 'settled' ||
      row.transaction.toLowerCase() !== payment.transaction ||
      row.blockNumber !== payment.blockNumber ||
      row.valueAtomic !== payment.valueAtomic ||
      row.payTo !== payment.to
    ) {
      findings.push(
        `the ledger has ${key} as ${row.state} in ${row.transaction || 'no transaction'}, block ${row.blockNumber}; ` +
          `the chain has it in ${payment.transaction}, block ${payment.blockNumber}`,
      )
    }
  }
  for (const [key, { transaction }] of payments) {
    if (!keys.has(key)) findings.push(`the chain has ${key} in ${transaction}, the ledger has no row`)
  }
  return findings
}
