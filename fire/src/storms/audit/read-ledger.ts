import pg from 'pg'
import { LEDGER_SCHEMA } from '../stage/parties.ts'
import type { Stage } from '../stage/stage.ts'

/** A row of the facilitators' ledger, as the database has it. */
export interface LedgerRow {
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
