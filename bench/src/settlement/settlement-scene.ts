import type { ProcessGroup } from '../rounds/cpu-time.ts'
import { withDatabase, type SceneDatabase } from '../stage/open-database.ts'
import { startFacilitator } from '../stage/start-facilitator.ts'
import { startReferenceFacilitator } from '../stage/start-peers.ts'
import type { Server } from '../stage/start-server.ts'
import type { Stage } from '../stage/stage.ts'
import type { LedgerRow } from './account-for-payments.ts'
import { createWallets, startBlockChain, type BlockChain } from './block-chain.ts'
import { createFacilitatorCalls, type FacilitatorCalls } from './call-facilitator.ts'
import type { Parties } from './signed-payments.ts'

/** A facilitator on a chain of its own, with everybody funded. */
export interface SettlementScene {
  readonly name: string
  readonly chain: BlockChain
  readonly calls: FacilitatorCalls
  readonly parties: Parties
  readonly groups: { readonly facilitator: ProcessGroup; readonly database: ProcessGroup }
  /** Undefined where there is no ledger. */
  readonly readLedger: (() => Promise<readonly LedgerRow[]>) | undefined
  /** Ends it before its time, so that it does not disturb what is measured next. */
  close(): Promise<void>
}

/** What a scene of ours is. */
export interface SceneSettings {
  readonly blockSeconds: number
  /** Relayer keys of the one facilitator. */
  readonly keys: number
}

const PAYERS = 400
/** Wallets that are paid, each of an owner and a secret of its own: an owner may have 5,000 payments open. */
const PAYEES = 8

/** Our facilitator with its ledger in a schema of its own. */
export async function startSettlementScene(
  stage: Stage,
  database: SceneDatabase,
  { blockSeconds, keys }: SceneSettings,
): Promise<SettlementScene> {
  const relayers = createWallets(stage.crypto, keys)
  const { parties, chain } = await startParties(stage, { blockSeconds, relayers })
  const facilitator = await startFacilitator(stage, {
    rpcUrl: chain.rpcUrl,
    database,
    relayerKeys: relayers.map(({ privateKey }) => privateKey),
  })
  const secrets: string[] = []
  for (const [index, payee] of parties.payees.entries())
    secrets.push(await facilitator.makeSecret(`bench-${index}`, payee))
  return {
    name: 'farebox',
    chain,
    parties,
    ...openCalls(stage, { facilitator, chain }, payee => secrets[payee]),
    groups: { facilitator: { pids: [facilitator.pid] }, database: database.processes },
    readLedger: () => readSettledRows(database, facilitator.schema),
  }
}

/** The x402 project's facilitator, which keeps no ledger. */
export async function startReferenceScene(stage: Stage, blockSeconds: number): Promise<SettlementScene> {
  const [relayer] = createWallets(stage.crypto, 1)
  if (relayer === undefined) throw new Error('no key was made')
  const { parties, chain } = await startParties(stage, { blockSeconds, relayers: [relayer] })
  const facilitator = await startReferenceFacilitator(stage, chain, relayer.privateKey)
  return {
    name: 'x402',
    chain,
    parties,
    ...openCalls(stage, { facilitator, chain }, () => undefined),
    groups: { facilitator: { pids: [facilitator.pid] }, database: { pids: [] } },
    readLedger: undefined,
  }
}

async function startParties(
  stage: Stage,
  { blockSeconds, relayers }: Pick<Parameters<typeof startBlockChain>[1], 'blockSeconds' | 'relayers'>,
): Promise<{ readonly parties: Parties; readonly chain: BlockChain }> {
  const payees = createWallets(stage.crypto, PAYEES).map(({ address }) => address)
  const parties = { payers: createWallets(stage.crypto, PAYERS), payees }
  return { parties, chain: await startBlockChain(stage, { blockSeconds, relayers, ...parties }) }
}

function openCalls(
  stage: Stage,
  { facilitator, chain }: { readonly facilitator: Server; readonly chain: BlockChain },
  secretOf: (payee: number) => string | undefined,
): Pick<SettlementScene, 'calls' | 'close'> {
  const calls = createFacilitatorCalls(facilitator.url, secretOf)
  stage.onStrike(calls.close)
  return {
    calls,
    async close() {
      await calls.close()
      await facilitator.stop()
      await chain.stop()
    },
  }
}

async function readSettledRows(database: SceneDatabase, schema: string): Promise<readonly LedgerRow[]> {
  const { rows } = await withDatabase(database, client =>
    client.query<{ nonce: string; value: string; transaction_hash: string; block_number: string }>(
      `select nonce, value, transaction_hash, block_number from ${schema}.payments where state = 'settled'`,
    ),
  )
  return rows.map(row => ({
    nonce: row.nonce,
    valueAtomic: BigInt(row.value),
    transaction: row.transaction_hash,
    block: Number(row.block_number),
  }))
}
