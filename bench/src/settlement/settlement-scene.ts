import type { ProcessGroup } from '../rounds/cpu-time.ts'
import type { SceneDatabase } from '../stage/open-database.ts'
import { startFacilitator } from '../stage/start-facilitator.ts'
import { startReferenceFacilitator } from '../stage/start-peers.ts'
import type { Server } from '../stage/start-server.ts'
import type { Stage } from '../stage/stage.ts'
import { createWallets, startBlockChain, type BlockChain, type Wallet } from './block-chain.ts'
import { createFacilitatorCalls, type FacilitatorCalls } from './call-facilitator.ts'
import type { Parties } from './signed-payments.ts'

/** A facilitator on its own chain, with all accounts funded. */
export interface SettlementScene {
  readonly chain: BlockChain
  readonly calls: FacilitatorCalls
  readonly parties: Parties
  readonly groups: { readonly facilitator: ProcessGroup; readonly database: ProcessGroup }
  /** Ends it early, so that it does not disturb the next measurement. */
  close(): Promise<void>
}

const PAYERS = 400
/** Paid wallets, each with its own owner and secret: an owner may have 5,000 open payments. */
const PAYEES = 8

/** Our facilitator with this many relayer keys, its ledger in its own schema. */
export async function startSettlementScene(
  stage: Stage,
  database: SceneDatabase,
  { blockSeconds, keys }: { readonly blockSeconds: number; readonly keys: number },
): Promise<SettlementScene> {
  const relayers = createWallets(stage.crypto, keys)
  const { parties, chain } = await startParties(stage, blockSeconds, relayers)
  const facilitator = await startFacilitator(stage, {
    rpcUrl: chain.rpcUrl,
    database,
    relayerKeys: relayers.map(({ privateKey }) => privateKey),
  })
  const secrets = new Map<string, string>()
  for (const [index, payee] of parties.payees.entries())
    secrets.set(payee, await facilitator.makeSecret(`bench-${index}`, payee))
  return openScene(stage, { facilitator, chain, parties, database: database.processes }, payee =>
    secrets.get(payee),
  )
}

/** The x402 project's facilitator, which keeps no ledger. */
export async function startReferenceScene(stage: Stage, blockSeconds: number): Promise<SettlementScene> {
  const relayers = createWallets(stage.crypto, 1)
  const { parties, chain } = await startParties(stage, blockSeconds, relayers)
  const facilitator = await startReferenceFacilitator(stage, chain, relayers[0]?.privateKey)
  return openScene(stage, { facilitator, chain, parties, database: { pids: [] } }, () => undefined)
}

async function startParties(
  stage: Stage,
  blockSeconds: number,
  relayers: readonly Wallet[],
): Promise<Pick<SettlementScene, 'parties' | 'chain'>> {
  const payees = createWallets(stage.crypto, PAYEES).map(({ address }) => address)
  const parties = { payers: createWallets(stage.crypto, PAYERS), payees }
  return { parties, chain: await startBlockChain(stage, { blockSeconds, relayers, ...parties }) }
}

function openScene(
  stage: Stage,
  started: Pick<SettlementScene, 'parties' | 'chain'> & {
    readonly facilitator: Server
    readonly database: ProcessGroup
  },
  secretOf: (payee: string) => string | undefined,
): SettlementScene {
  const { facilitator, chain, parties, database } = started
  const calls = createFacilitatorCalls(facilitator.url, secretOf)
  stage.onStrike(calls.close)
  return {
    chain,
    parties,
    calls,
    groups: { facilitator: { pids: [facilitator.pid] }, database },
    async close() {
      await calls.close()
      await facilitator.stop()
      await chain.stop()
    },
  }
}
