import { fileURLToPath } from 'node:url'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { startAgentProcess, type AgentProcess } from '@farebox/local/src/start-agent-process'
import {
  startFacilitatorProcess,
  type FacilitatorProcess,
} from '@farebox/local/src/start-facilitator-process'
import { Pool } from 'undici'
import type { EventLog } from '../event-log.ts'
import { HANG_MS, manageProcess, processRunOf, type ManagedProcess } from './managed-process.ts'

/** A facilitator that can be killed. */
export interface StageFacilitator extends ManagedProcess {
  /** Where it is and how its secrets are made: the same in all its lives. */
  access(): FacilitatorProcess
}

/** An agent that can be killed. */
export interface StageAgent extends ManagedProcess {
  /** Of its first life, and of all others. */
  readonly url: string
  /** Connections that are kept alive, over all its lives; to its wire where it has one. */
  readonly connections: Pool
}

/** What every managed program of a stage is made with. */
export interface ProgramOptions {
  readonly folder: string
  readonly chain: LocalChain
  readonly port: number
  readonly name: string
  readonly onLine: (line: string) => void
  readonly onDeath: (name: string, lastLines: string) => void
}

/** The schema of the ledger, shared by all facilitators of a stage. */
export const LEDGER_SCHEMA = 'storms'

/** Of every facilitator: the one that holds the lease of an account sends from it. */
const RELAYER_KEYS = [TEST_KEYS.relayer.privateKey, TEST_KEYS.hirer.privateKey]
const CONFIG = fileURLToPath(new URL('../agent/agent.json', import.meta.url))
const CONNECTIONS = 250

/** Starts one. No limit of its own is met on a stage. */
export async function startFacilitator(
  parts: ProgramOptions & { readonly databaseUrl: string },
): Promise<StageFacilitator> {
  const { name, onLine, onDeath, ...options } = parts
  let newest: FacilitatorProcess | undefined
  const launch = async (): Promise<FacilitatorProcess> => {
    newest = await startFacilitatorProcess({
      ...options,
      name,
      environment: {
        DATABASE_SCHEMA: LEDGER_SCHEMA,
        RELAYER_PRIVATE_KEY: RELAYER_KEYS.join(','),
        FACILITATOR_REQUESTS_PER_SECOND: '1000000',
        FACILITATOR_DAILY_SETTLEMENTS: '100000000',
      },
      onLine: (_, line) => onLine(line),
    })
    return newest
  }
  const managed = manageProcess(
    { kind: 'facilitator', name },
    async () => processRunOf(await launch()),
    onDeath,
  )
  await managed.start()
  const access = (): FacilitatorProcess => {
    if (newest === undefined) throw new Error(`${name} was never started`)
    return newest
  }
  // Defined on the managed process itself: a copy would not see its pid change.
  return Object.assign(managed, { access })
}

/** Starts one; `at` says where it is called, default its own address. */
export async function startAgent(
  parts: ProgramOptions & {
    readonly facilitator: FacilitatorProcess
    readonly secret: string
    readonly wallet: string
    readonly store: string
    readonly environment: { readonly [name: string]: string }
    readonly eventLog: EventLog
    readonly at?: (url: string) => Promise<string>
  },
): Promise<StageAgent> {
  const { name, port, wallet, eventLog, onLine, onDeath, at, ...options } = parts
  const launch = (): Promise<AgentProcess> =>
    startAgentProcess({
      ...options,
      name,
      agent: { config: CONFIG, wallet, port },
      onLine(_, line) {
        onLine(line)
        const jobId = /"event":"execute","job":"([^"]+)"/.exec(line)?.[1]
        if (jobId !== undefined) eventLog.executing(name, jobId)
      },
    })
  const managed = manageProcess({ kind: 'agent', name }, async () => processRunOf(await launch()), onDeath)
  await managed.start()
  const own = `http://127.0.0.1:${port}`
  const url = (await at?.(own)) ?? own
  const connections = new Pool(url, {
    connections: CONNECTIONS,
    headersTimeout: HANG_MS,
    bodyTimeout: HANG_MS,
  })
  return Object.assign(managed, { url, connections })
}
