import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { SceneDatabase } from './open-database.ts'
import type { Build } from './build.ts'
import { startAgent } from './start-agent.ts'
import { startFacilitator, type FacilitatorServer } from './start-facilitator.ts'
import type { Server } from './start-server.ts'
import type { Stage } from './stage.ts'

/** Our agent with its default store, and our facilitator, as in production. */
export interface PaidPath {
  readonly agent: Server
  readonly facilitator: FacilitatorServer
}

/** Starts both. */
export async function startPaidPath(
  stage: Stage,
  options: {
    readonly chain: { readonly rpcUrl: string }
    readonly database: SceneDatabase
    /** Default: the current one. */
    readonly build?: Build
  },
): Promise<PaidPath> {
  const { chain, database, build } = options
  const relayerKeys = [TEST_KEYS.relayer.privateKey]
  const facilitator = await startFacilitator(stage, {
    rpcUrl: chain.rpcUrl,
    database,
    relayerKeys,
    ...(build && { build }),
  })
  const secret = await facilitator.makeSecret('bench', TEST_KEYS.agent.address)
  const agent = await startAgent(stage, {
    paid: { facilitatorUrl: facilitator.url, secret },
    ...(build && { build }),
  })
  return { agent, facilitator }
}
