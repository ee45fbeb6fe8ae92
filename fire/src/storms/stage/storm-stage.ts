import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { createEventLog, type EventLog } from '../event-log.ts'
import { findLastingPorts } from './lasting-ports.ts'
import { hireAgents } from './hire-agents.ts'
import type { ManagedProcess } from './managed-process.ts'
import { createProgramLog } from './program-log.ts'
import { raiseFacilitators, raisePostgres, raiseRedis, type BuildingSite } from './raise.ts'
import type { StormAgent } from './storm-agent.ts'
import type { StormFacilitator } from './storm-facilitator.ts'

/** Agents, facilitators, their stores and their chain, each a process of its own; nobody else's are touched. */
export interface StormStage {
  readonly folder: string
  readonly chain: LocalChain
  readonly network: Network
  readonly crypto: EvmCrypto
  readonly redis: ManagedProcess
  readonly redisUrl: string
  readonly postgres: ManagedProcess
  readonly databaseUrl: string
  readonly facilitators: readonly StormFacilitator[]
  /** Replicas of one agent, on one Redis. */
  readonly agents: readonly StormAgent[]
  /** The wallet that is paid. */
  readonly wallet: string
  readonly payers: readonly PaymentSigner[]
  /** Where the handlers note their runs. */
  readonly runsFile: string
  readonly eventLog: EventLog
  /** Starts one more agent, with a store that it shares with nobody. */
  stranger(name: string): Promise<StormAgent>
  /** Ends everything that was started and removes the folder, unless it is to be kept. */
  strike(): Promise<void>
}

const AGENTS = 4
const FACILITATORS = 2
const PAYERS = 8
/** Enough for every storm: nobody runs out of money here. */
const PAYER_ATOMIC = 10_000_000_000n

/**
 * Sets the stage.
 *
 * @param keep leaves folder and logs for whoever wants to look into a finding
 */
export async function setStormStage(options: {
  readonly signal: AbortSignal
  readonly keep?: boolean
}): Promise<StormStage> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-storms-'))
  // PostgreSQL started by root runs as another user, who must get to its files.
  await chmod(folder, 0o711)
  const stops: (() => Promise<unknown>)[] = []
  if (options.keep !== true) stops.push(() => rm(folder, { recursive: true, force: true }))
  const strike = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop()
  }
  try {
    return { ...(await buildStage({ folder, stops, signal: options.signal })), strike }
  } catch (error) {
    await strike()
    throw error
  }
}

async function buildStage(
  site: Pick<BuildingSite, 'folder' | 'stops' | 'signal'>,
): Promise<Omit<StormStage, 'strike'>> {
  const { folder, stops, signal } = site
  const eventLog = createEventLog()
  const log = createProgramLog(join(folder, 'logs'))
  stops.push(log.close)
  const building = { ...site, eventLog, log }
  const [redisPort = 0, databasePort = 0, ...ports] = await findLastingPorts(2 + FACILITATORS + AGENTS)
  const chain = await startChain({ signal })
  stops.push(chain.stop)
  const redis = await raiseRedis(building, redisPort)
  const { postgres, databaseUrl } = await raisePostgres(building, databasePort)
  const facilitators = await raiseFacilitators(building, {
    chain,
    databaseUrl,
    ports: ports.slice(0, FACILITATORS),
  })
  const replicas = await hireAgents(building, { chain, facilitators, redisPort })
  const agents = await Promise.all(ports.slice(FACILITATORS).map(port => replicas.hire({ port })))
  const crypto = await loadEvmCrypto()
  return {
    folder,
    chain,
    network: localNetwork(),
    crypto,
    redis,
    redisUrl: replicas.redisUrl,
    postgres,
    databaseUrl,
    facilitators,
    agents,
    wallet: replicas.wallet,
    payers: await fundPayers(chain, crypto),
    runsFile: replicas.runsFile,
    eventLog,
    async stranger(name) {
      const [port = 0] = await findLastingPorts(1)
      return await replicas.hire({ port, ownStore: name })
    },
  }
}

/** Base Sepolia, as the local chain plays it. */
function localNetwork(): Network {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('Base Sepolia is not in the table')
  return network
}

async function fundPayers(chain: LocalChain, crypto: EvmCrypto): Promise<readonly PaymentSigner[]> {
  const payers = Array.from({ length: PAYERS }, () =>
    privateKeySigner(crypto, `0x${randomBytes(32).toString('hex')}`),
  )
  for (const { address } of payers) await fund(chain, address, { usdcAtomic: PAYER_ATOMIC })
  return payers
}
