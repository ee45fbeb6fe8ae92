import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { callOnce } from './call-once.ts'
import { startChain, type LocalChain } from './chain/start-chain.ts'
import { TEST_KEYS } from './chain/test-keys.ts'
import { topUp } from './chain/top-up.ts'
import { readOrCreateSecret } from './facilitator-secret.ts'
import { startAgentProcess, type AgentProcess, type EconomyAgent } from './start-agent-process.ts'
import type { EconomyPrograms } from './programs.ts'
import { startFacilitatorProcess, type FacilitatorProcess } from './start-facilitator-process.ts'
import { startPostgres } from './postgres/start-postgres.ts'
import { writeDurably } from './write-durably.ts'

/** How the economy is started. */
export interface EconomyOptions {
  /** Where chain, ledger, jobs and secrets are kept between runs. */
  readonly folder: string
  readonly programs: EconomyPrograms
  readonly agents: readonly EconomyAgent[]
  /** 84532 (default, Base Sepolia's) or 31337. */
  readonly chainId?: number
  readonly chainPort?: number
  readonly facilitatorPort?: number
  /** An existing PostgreSQL server; without it one is started from npm's binaries. */
  readonly databaseUrl?: string | undefined
  /** Wraps the start of each part, so that progress can be shown. */
  readonly step?: EconomyStep
  /** Every line the programs print, with who printed it. */
  readonly onLine?: (program: string, line: string) => void
  readonly signal?: AbortSignal
}

/** Shows the start of one part: runs the work, and may say how it went. */
export type EconomyStep = <T>(
  name: string,
  work: () => Promise<T>,
  describe: (started: T) => { readonly text?: string; readonly note?: string },
) => Promise<T>

/** A whole economy on one machine. */
export interface Economy {
  readonly chain: LocalChain
  readonly facilitator: FacilitatorProcess
  readonly agents: readonly AgentProcess[]
  /** Holds test USDC, and pays. */
  readonly payer: { readonly address: string; readonly privateKey: string }
  /** Resolves with the name of the first program that ended by itself. */
  readonly broken: Promise<string>
  /** Stops everything in order, agents first, chain last. May be called twice. */
  stop(): Promise<void>
}

/** What `.farebox/local.json` says, for whoever wants to use the running economy. Test keys only. */
export interface LocalFile {
  readonly chain: {
    readonly rpcUrl: string
    readonly chainId: number
    readonly network: string
    readonly usdc: string
    readonly multicall3: string
  }
  readonly facilitator: { readonly url: string }
  readonly agents: readonly {
    readonly name: string
    readonly url: string
    readonly wallet: string
    readonly capabilities: readonly string[]
  }[]
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** The chain ids that may be local: those whose USDC, in the networks table, is where LocalUSDC is put. */
export const LOCAL_CHAIN_IDS = [84532, 31337] as const

const PAYER_USDC_ATOMIC = 1_000_000_000n

/**
 * Starts chain, database, facilitator and agents, as processes of their own, and funds a payer. A second start
 * with the same folder goes on where the first one stopped: chain, ledger, secrets and jobs are kept.
 *
 * @throws Error when a part does not start, with a sentence that says what to do; what had started is stopped
 */
export async function startEconomy(options: EconomyOptions): Promise<Economy> {
  const folder = resolve(options.folder)
  const { chainId = LOCAL_CHAIN_IDS[0], step = async (_, work) => await work() } = options
  if (!LOCAL_CHAIN_IDS.some(id => id === chainId)) {
    throw new Error(`chain id ${chainId} cannot be local: choose ${LOCAL_CHAIN_IDS.join(' or ')}`)
  }
  await mkdir(folder, { recursive: true })
  const stops: (() => Promise<unknown>)[] = []
  const stop = callOnce(async () => {
    for (const stopOne of stops.toReversed()) await stopOne()
  })
  try {
    const chain = await step(
      'chain',
      async () => {
        const started = await startLocalChain(options, folder, chainId)
        stops.push(started.stop)
        return started
      },
      ({ usdc }) => ({ text: `eip155:${chainId} (local)`, note: `LocalUSDC ${shorten(usdc)}` }),
    )
    const facilitator = await step(
      'facilitator',
      async () => {
        const databaseUrl = options.databaseUrl ?? (await startDatabase(options, folder, stops))
        const started = await startFacilitatorProcess({
          ...options,
          folder,
          chain,
          databaseUrl,
          port: options.facilitatorPort ?? 4010,
        })
        stops.push(started.stop)
        return started
      },
      ({ url }) => ({
        text: url,
        note: options.databaseUrl === undefined ? 'PostgreSQL (embedded)' : 'PostgreSQL (DATABASE_URL)',
      }),
    )
    const agents = await step(
      'agents',
      async () => {
        const secret = await readOrCreateSecret(
          folder,
          facilitator,
          options.agents.map(({ wallet }) => wallet),
        )
        return await allOrNone(
          options.agents.map(async agent => {
            const started = await startAgentProcess({ ...options, folder, chain, facilitator, secret, agent })
            stops.push(started.stop)
            return started
          }),
        )
      },
      ({ length }) => ({ text: `${length} running` }),
    )
    await topUp(chain, TEST_KEYS.payer.address, PAYER_USDC_ATOMIC)
    const economy = {
      chain,
      facilitator,
      agents,
      payer: TEST_KEYS.payer,
      broken: firstToEnd(chain, facilitator, agents),
      stop,
    }
    await writeDurably(join(folder, 'local.json'), `${JSON.stringify(describeEconomy(economy), null, 2)}\n`)
    return economy
  } catch (error) {
    await stop()
    throw error
  }
}

/** Waits for every start, also after one has failed: what comes up late must be there to be stopped. */
async function allOrNone<T>(starts: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(starts)
  return settled.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

/** The economy as `.farebox/local.json` tells it. */
export function describeEconomy({
  chain,
  facilitator,
  agents,
  payer,
}: Omit<Economy, 'broken' | 'stop'>): LocalFile {
  const { rpcUrl, chainId, usdc, multicall3 } = chain
  return {
    chain: { rpcUrl, chainId, network: `eip155:${chainId}`, usdc, multicall3 },
    facilitator: { url: facilitator.url },
    agents: agents.map(({ declaration, url }) => ({
      name: declaration.name,
      url,
      wallet: declaration.wallet,
      capabilities: capabilityNames(declaration),
    })),
    payer: { address: payer.address, privateKey: payer.privateKey },
  }
}

async function startLocalChain(
  options: EconomyOptions,
  folder: string,
  chainId: number,
): Promise<LocalChain> {
  return await startChain({
    folder: join(folder, 'chain'),
    chainId,
    port: options.chainPort ?? 8545,
    onLog: line => options.onLine?.('chain', line),
    ...(options.signal && { signal: options.signal }),
  })
}

async function startDatabase(
  options: EconomyOptions,
  folder: string,
  stops: (() => Promise<unknown>)[],
): Promise<string> {
  const database = await startPostgres({
    folder: join(folder, 'postgres'),
    onLog: line => options.onLine?.('postgres', line),
    ...(options.signal && { signal: options.signal }),
  })
  stops.push(database.stop)
  return database.connectionString
}

function firstToEnd(
  chain: LocalChain,
  facilitator: FacilitatorProcess,
  agents: readonly AgentProcess[],
): Promise<string> {
  return Promise.race([
    chain.exited.then(() => 'the chain'),
    facilitator.exited.then(() => 'the facilitator'),
    ...agents.map(({ declaration, exited }) => exited.then(() => declaration.name)),
  ])
}

function capabilityNames({ capabilities }: Declaration): readonly string[] {
  return Object.keys(capabilities)
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}
