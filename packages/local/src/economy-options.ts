import type { PortChoice } from './processes/port-choice.ts'
import type { EconomyAgent } from './start-agent-process.ts'

/** How the economy is started. */
export interface EconomyOptions {
  /** The folder that keeps the chain, ledger, jobs and secrets between runs. */
  readonly folder: string
  /** Empty when another program serves the agent. */
  readonly agents: readonly EconomyAgent[]
  /** 84532 (default, Base Sepolia) or 31337. */
  readonly chainId?: number
  /** Default 8545. */
  readonly chainPort?: PortChoice
  /** Default 4010. */
  readonly facilitatorPort?: PortChoice
  /** By default no platform is started, so that agents cannot be found by others. */
  readonly platformPort?: PortChoice
  /** Additional environment variables for the platform. */
  readonly platformEnvironment?: { readonly [name: string]: string }
  /** The URL of an existing PostgreSQL server. By default one is started from npm's binaries. */
  readonly databaseUrl?: string | undefined
  /** Wraps the start of each part, so that the caller can show progress. */
  readonly step?: EconomyStep
  /** Receives every line that the programs print, with the name of the program. */
  readonly onLine?: (program: string, line: string) => void
  readonly signal?: AbortSignal
}

/** Shows the start of one part: runs the work, which reports its current activity and may describe its result. */
export type EconomyStep = <T>(
  name: string,
  work: (report: (activity: string) => void) => Promise<T>,
  describe: (started: T) => { readonly text?: string; readonly note?: string },
) => Promise<T>
