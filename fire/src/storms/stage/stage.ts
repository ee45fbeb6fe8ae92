import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createSecret } from '@farebox/local/src/facilitator-secret'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { createEventLog, type EventLog } from '../event-log.ts'
import { findLastingPorts } from './lasting-ports.ts'
import { manageProcess, type ManagedProcess, type ProcessRun } from './managed-process.ts'
import {
  startAgent,
  startFacilitator,
  type ProgramOptions,
  type StageAgent,
  type StageFacilitator,
} from './parties.ts'
import { startDatabase } from './start-database.ts'
import { startRedis } from './start-redis.ts'

/** Agents, facilitators, their stores and their chain, each a process of its own. */
export interface Stage {
  readonly folder: string
  readonly chain: LocalChain
  readonly crypto: EvmCrypto
  readonly redis: ManagedProcess
  readonly redisUrl: string
  readonly postgres: ManagedProcess
  readonly databaseUrl: string
  readonly facilitators: StageFacilitator[]
  /** Replicas of one agent, on one Redis; those with a store of their own are not among them. */
  readonly agents: StageAgent[]
  /** The wallet that is paid. */
  readonly wallet: string
  /** Where the handlers record their runs. */
  readonly runsFile: string
  /** Prefixes of the agents' stores in Redis. */
  readonly stores: ReadonlySet<string>
  readonly eventLog: EventLog
  addFacilitator(rpcUrl?: string): Promise<StageFacilitator>
  /** Starts one more agent; the facilitators are given out in turn. */
  addAgent(options?: AgentPlan): Promise<StageAgent>
  /** Makes an account with so much USDC. */
  fundPayer(usdcAtomic: bigint): Promise<PaymentSigner & { readonly key: string }>
  /** Called when the stage is ended, the last first. */
  onEnd(stop: () => Promise<unknown>): void
  /** Ends everything that was started, and removes the folder unless it is kept. */
  end(): Promise<void>
}

/** How an agent differs from the others. */
interface AgentPlan {
  /** Shares its jobs with no other agent. */
  readonly ownStore?: string
  /** In place of the facilitator's own. */
  readonly facilitatorUrl?: string
  readonly environment?: { readonly [name: string]: string }
  /** Where it is called, in place of its own address. */
  readonly at?: (url: string) => Promise<string>
}

/** Which signal ends the start, and whether the folder with its logs is kept. */
export interface StageOptions {
  readonly signal: AbortSignal
  readonly isKept?: boolean
}

/** Starts chain, Redis and PostgreSQL; what fails half-way is ended before it rejects. */
export async function openStage({ signal, isKept = false }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-storms-'))
  const stops: (() => Promise<unknown>)[] = []
  if (!isKept) stops.push(() => rm(folder, { recursive: true, force: true }))
  const end = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop()
  }
  try {
    return await openParts(folder, stops, end, signal)
  } catch (error) {
    await end()
    throw error
  }
}

async function openParts(
  folder: string,
  stops: (() => Promise<unknown>)[],
  end: () => Promise<void>,
  signal: AbortSignal,
): Promise<Stage> {
  // PostgreSQL started by root runs as another user, who must get to its files.
  await chmod(folder, 0o711)
  for (const name of ['lives', 'postgres']) await mkdir(join(folder, name))
  const eventLog = createEventLog()
  const chain = await startChain({ signal })
  stops.push(chain.stop)
  const onDeath = (name: string, lastLines: string): void =>
    void eventLog.mishaps.push(`${name} ended unexpectedly: ${lastLines.split('\n').slice(-3).join(' | ')}`)
  // Over all its lives: the log of a program begins again with each.
  const linesOf = (name: string) => (line: string) =>
    appendFileSync(join(folder, 'lives', `${name}.log`), `${line}\n`)
  const [redisPort = 0, databasePort = 0] = await findLastingPorts(2)
  const store = async (kind: 'redis' | 'postgres', launch: () => Promise<ProcessRun>) => {
    signal.throwIfAborted()
    const managed = manageProcess({ kind, name: kind }, launch, onDeath)
    await managed.start()
    stops.push(() => managed.stop())
    return managed
  }
  const redis = await store('redis', () =>
    startRedis({ folder: join(folder, 'redis'), port: redisPort, onLine: linesOf('redis') }),
  )
  let databaseUrl = ''
  const postgres = await store('postgres', async () => {
    const database = await startDatabase({ folder: join(folder, 'postgres'), port: databasePort })
    databaseUrl = database.connectionString
    return database
  })
  const crypto = await loadEvmCrypto()
  const programOf = async (name: string): Promise<ProgramOptions> => {
    signal.throwIfAborted()
    const [port = 0] = await findLastingPorts(1)
    return { folder, chain, port, name, onLine: linesOf(name), onDeath }
  }
  const parts = { folder, chain, databaseUrl, redisUrl: `redis://127.0.0.1:${redisPort}/0`, eventLog }
  return {
    ...parts,
    ...createParties(parts, stops, programOf),
    crypto,
    redis,
    postgres,
    fundPayer: createFaucet(chain, crypto),
    onEnd: stop => void stops.push(stop),
    end,
  }
}

function createParties(
  parts: Pick<Stage, 'folder' | 'databaseUrl' | 'redisUrl' | 'eventLog'>,
  stops: (() => Promise<unknown>)[],
  programOf: (name: string) => Promise<ProgramOptions>,
): Pick<Stage, 'facilitators' | 'agents' | 'wallet' | 'runsFile' | 'stores' | 'addFacilitator' | 'addAgent'> {
  const { folder, databaseUrl, redisUrl, eventLog } = parts
  const wallet = TEST_KEYS.agent.address
  const runsFile = join(folder, 'runs.jsonl')
  const stores = new Set(['farebox'])
  const facilitators: StageFacilitator[] = []
  const agents: StageAgent[] = []
  let secret: Promise<string> | undefined
  let hired = 0
  return {
    wallet,
    runsFile,
    stores,
    facilitators,
    agents,
    async addFacilitator(rpcUrl) {
      const program = await programOf(`facilitator-${facilitators.length + 1}`)
      const chain = { ...program.chain, rpcUrl: rpcUrl ?? program.chain.rpcUrl }
      const facilitator = await startFacilitator({ ...program, chain, databaseUrl })
      facilitators.push(facilitator)
      stops.push(() => facilitator.stop())
      return facilitator
    },
    async addAgent({ ownStore, facilitatorUrl, environment = {}, at } = {}) {
      const facilitator = facilitators[hired % facilitators.length]
      if (facilitator === undefined) throw new Error('an agent needs a facilitator')
      hired += 1
      secret ??= createSecret(facilitator.access(), { owner: 'storms', wallets: [wallet] }).then(
        created => created.secret,
      )
      const access = facilitator.access()
      const agent = await startAgent({
        ...(await programOf(ownStore ?? `agent-${hired}`)),
        facilitator: { ...access, url: facilitatorUrl ?? access.url },
        secret: await secret,
        wallet,
        store: ownStore === undefined ? redisUrl : `${redisUrl}?prefix=${ownStore}`,
        environment: { STORM_RUNS_FILE: runsFile, ...environment },
        eventLog,
        ...(at && { at }),
      })
      stores.add(ownStore ?? 'farebox')
      if (ownStore === undefined) agents.push(agent)
      stops.push(
        () => agent.stop(),
        () => agent.connections.destroy(),
      )
      return agent
    },
  }
}

function createFaucet(chain: LocalChain, crypto: EvmCrypto): Stage['fundPayer'] {
  // One at a time: the faucet is one account.
  let funding: Promise<unknown> = Promise.resolve()
  return async usdcAtomic => {
    const key = `0x${randomBytes(32).toString('hex')}`
    const signer = privateKeySigner(crypto, key)
    const funded = funding.then(() => fund(chain, signer.address, { usdcAtomic }))
    funding = funded
    await funded
    return { ...signer, key }
  }
}
