import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChain, type LocalChain, type StartChainOptions } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createFacilitatorSecret } from '@farebox/local/src/facilitator-secret'
import { startPostgres } from '@farebox/local/postgres/start-postgres'
import { startAgentProcess, type LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import {
  startFacilitatorProcess,
  type FacilitatorProcess,
} from '@farebox/local/src/start-facilitator-process'
import { startPlatformProcess, type PlatformProcess } from '@farebox/local/src/start-platform-process'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import pg from 'pg'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Everything that a test of the whole system needs, with real parts, in its own folder; removed when it is struck. */
export interface Stage {
  readonly folder: string
  readonly chain: LocalChain
  readonly databaseUrl: string
  readonly crypto: EvmCrypto
  /** Starts a facilitator on the stage's ledger; another one shares it. */
  facilitator(options?: {
    readonly name?: string
    readonly rpcUrl?: string
    readonly environment?: { readonly [name: string]: string }
  }): Promise<FacilitatorProcess>
  /** Starts a platform on the stage's chain, in its own schema; another one with the same name shares it. */
  platform(options: {
    readonly facilitator: Pick<FacilitatorProcess, 'url' | 'adminToken'>
    /** Default: `platform`. A concurrent one needs another name. */
    readonly name?: string
    /** Default: any free port. A killed platform restarts at the same port. */
    readonly port?: number
    readonly environment?: { readonly [name: string]: string }
    readonly onLine?: (program: string, line: string) => void
  }): Promise<PlatformProcess>
  /** A secret for wallets, at a facilitator. */
  secret(facilitator: FacilitatorProcess, wallets: readonly string[]): Promise<string>
  /** Starts a `farebox start` process of one of the examples or of a folder in `e2e/agents`. */
  agent(options: {
    readonly config: string
    readonly facilitator: Pick<FacilitatorProcess, 'url'>
    readonly secret: string
    readonly name: string
    readonly store: string
    readonly wallet?: string
    readonly port?: number
    readonly environment?: { readonly [name: string]: string }
    readonly onLine?: (program: string, line: string) => void
  }): Promise<LocalAgentProcess>
  /** Called when the stage is struck, last first. */
  onStrike(stop: () => Promise<unknown>): void
  strike(): Promise<void>
}

let stages = 0

/** Sets up the stage: a chain, a separate database, and a funded payer. */
export async function setStage(
  chainOptions: Pick<StartChainOptions, 'blockTimeSeconds'> = {},
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-e2e-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const chain = await startChain(chainOptions)
  stops.push(chain.stop)
  const databaseUrl = await openDatabase(folder, stops)
  const schema = `e2e_${process.pid}_${(stages += 1)}`
  const platformSchema = `${schema}_platform`
  const schemas = new Set([schema, platformSchema])
  stops.push(() => dropSchemas(databaseUrl, [...schemas]))
  for (const { address } of [TEST_KEYS.payer, TEST_KEYS.secondPayer])
    await fund(chain, address, { usdcAtomic: 1_000_000_000n })
  return {
    folder,
    chain,
    databaseUrl,
    crypto: await loadEvmCrypto(),
    async facilitator({ name = 'facilitator', rpcUrl = chain.rpcUrl, environment } = {}) {
      schemas.add(environment?.['DATABASE_SCHEMA'] ?? schema)
      const started = await startFacilitatorProcess({
        folder,
        chain: { ...chain, rpcUrl },
        databaseUrl,
        port: 0,
        name,
        environment: { DATABASE_SCHEMA: schema, ...environment },
      })
      stops.push(started.stop)
      return started
    },
    async platform({ facilitator, name = 'platform', port = 0, environment, onLine }) {
      schemas.add(environment?.['DATABASE_SCHEMA'] ?? platformSchema)
      const started = await startPlatformProcess({
        folder,
        chain,
        facilitator,
        databaseUrl,
        name,
        port,
        environment: { DATABASE_SCHEMA: platformSchema, ...environment },
        ...(onLine !== undefined && { onLine }),
      })
      stops.push(started.stop)
      return started
    },
    secret: async (facilitator, wallets) =>
      (await createFacilitatorSecret(facilitator, { owner: `e2e ${(stages += 1)}`, wallets })).secret,
    async agent({ facilitator, config, wallet = TEST_KEYS.agent.address, port = 0, ...options }) {
      const started = await startAgentProcess({
        ...options,
        folder,
        chain,
        facilitator: {
          ...facilitator,
          adminToken: '',
          pid: 0,
          exited: new Promise(() => undefined),
          stop: async () => undefined,
        },
        agent: { config: join(root, config), wallet, port },
      })
      stops.push(started.stop)
      return started
    },
    onStrike: stop => void stops.push(stop),
    async strike() {
      for (const stop of stops.toReversed()) await stop()
    },
  }
}

/** The machine's PostgreSQL if it runs, else our own. */
async function openDatabase(folder: string, stops: (() => Promise<unknown>)[]): Promise<string> {
  const given = process.env['DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
  if (await listens(given)) return given
  const database = await startPostgres({ folder: join(folder, 'postgres') })
  stops.push(database.stop)
  return database.connectionString
}

function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port) || 5432 })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function dropSchemas(databaseUrl: string, schemas: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  for (const schema of schemas) await client.query(`drop schema if exists ${schema} cascade`)
  await client.end()
}
