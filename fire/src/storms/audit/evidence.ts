import { readFile } from 'node:fs/promises'
import type { EventLog, StormOrder } from '../event-log.ts'
import { askDatabase } from '../stage/ask-database.ts'
import { LEDGER_SCHEMA, type Stage } from '../stage/stage.ts'
import { readChain, type ChainRecord } from './read-chain.ts'

/** The known facts after all work has ended: the input of the checks. */
export interface Evidence {
  readonly eventLog: EventLog
  /** The judged orders; others may be in the event log. */
  readonly orders: readonly StormOrder[]
  readonly chain: ChainRecord
  /** When each payment was first seen in a block, by authorization. */
  readonly seenMs: ReadonlyMap<string, number>
  readonly ledger: readonly LedgerRow[]
  /** In the order in which they began. */
  readonly runs: readonly HandlerRun[]
}

/** A row of the facilitators' ledger, as the database has it. */
// A type alias, because an interface cannot be the type of a query row.
type LedgerRow = {
  readonly payer: string
  readonly nonce: string
  readonly state: string
  readonly pay_to: string
  readonly value: string
  /** Empty if there is none. */
  readonly transaction_hash: string
  readonly block_number: string | null
}

/** One run of a handler, as it recorded itself. */
export interface HandlerRun {
  readonly jobId: string
  readonly pid: number
  /** Unix milliseconds: when it began. */
  readonly atMs: number
}

/** Reads all records. */
export async function gatherEvidence(stage: Stage, orders: readonly StormOrder[]): Promise<Evidence> {
  const text = await readFile(stage.runsFile, 'utf8').catch(() => '')
  return {
    eventLog: stage.eventLog,
    orders,
    chain: await readChain(stage.chain),
    seenMs: stage.chainWatch.seenMs,
    ledger: await readLedger(stage),
    // Only our own handler writes this file.
    runs: text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as HandlerRun])),
  }
}

/** Reads the ledger directly. Rejects if the database cannot be reached. */
export async function readLedger({ databaseUrl }: Pick<Stage, 'databaseUrl'>): Promise<readonly LedgerRow[]> {
  const columns = 'payer, nonce, state, pay_to, value, transaction_hash, block_number'
  return await askDatabase<LedgerRow>(databaseUrl, `select ${columns} from ${LEDGER_SCHEMA}.payments`)
}
