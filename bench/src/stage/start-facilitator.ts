import { createFacilitatorSecret } from '@farebox/local/src/facilitator-secret'
import { nameSchema, type SceneDatabase } from './open-database.ts'
import { NETWORK } from './sign-jobs.ts'
import { CURRENT, programsOf, type Build } from './build.ts'
import { startServer, type Server } from './start-server.ts'
import type { Stage } from './stage.ts'

/** Our facilitator, with its ledger in a schema of its own that is dropped when the scene ends. */
export interface FacilitatorServer extends Server {
  /** Creates a secret that accepts payments to a wallet. */
  makeSecret(owner: string, wallet: string): Promise<string>
}

const ADMIN_TOKEN = 'an-admin-token-of-the-bench'

/** `relayerKeys` are those of the one process; each account must hold ether. */
export async function startFacilitator(
  stage: Stage,
  options: {
    readonly rpcUrl: string
    readonly database: SceneDatabase
    readonly relayerKeys: readonly string[]
    /** Default: the current one. */
    readonly build?: Build
  },
): Promise<FacilitatorServer> {
  const { rpcUrl, database, relayerKeys, build = CURRENT } = options
  const { schema } = nameSchema(stage, database)
  const server = await startServer(stage, {
    name: 'facilitator',
    file: programsOf(build).facilitator,
    portVariable: 'FACILITATOR_PORT',
    environment: {
      FACILITATOR_NETWORK: NETWORK.id,
      FACILITATOR_ADMIN_TOKEN: ADMIN_TOKEN,
      // The few owners of the bench do the work of many; otherwise their limits would be measured.
      FACILITATOR_REQUESTS_PER_SECOND: '100000',
      FACILITATOR_DAILY_SETTLEMENTS: '10000000',
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: schema,
      EVM_RPC_URL: rpcUrl,
      RELAYER_PRIVATE_KEY: relayerKeys.join(','),
    },
  })
  return {
    ...server,
    async makeSecret(owner, wallet) {
      const administration = { url: server.url, adminToken: ADMIN_TOKEN }
      return (await createFacilitatorSecret(administration, { owner, wallets: [wallet] })).secret
    },
  }
}
