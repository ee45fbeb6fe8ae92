import type { PortChoice } from './processes/port-choice.ts'
import type { EconomyAgent } from './start-agent-process.ts'

/** How the economy is started. */
export interface EconomyOptions {
  /** The folder of chain, ledger, jobs and secrets between runs. */
  readonly folder: string
  /** None where somebody else serves the agent. */
  readonly agents: readonly EconomyAgent[]
  /** 84532 (default, Base Sepolia's) or 31337. */
  readonly chainId?: number
  /** Default 8545. */
  readonly chainPort?: PortChoice
  /** Default 4010. */
  readonly facilitatorPort?: PortChoice
  /** Undefined (default): no platform, and agents are found by nobody. */
  readonly platformPort?: PortChoice
  /** More of the platform's environment. */
  readonly platformEnvironment?: { readonly [name: string]: string }
  /** An existing PostgreSQL server; without it one is started from npm's binaries. */
  readonly databaseUrl?: string | undefined
  /** Wraps the start of each part, so that progress can be shown. */
  readonly step?: EconomyStep
  /** Every line the programs print, with who printed it. */
  readonly onLine?: (program: string, line: string) => void
  readonly signal?: AbortSignal
}

/** Shows the start of one part: runs the work, which reports what is being done, and may say how it went. */
export type EconomyStep = <T>(
  name: string,
  work: (report: (activity: string) => void) => Promise<T>,
  describe: (started: T) => { readonly text?: string; readonly note?: string },
) => Promise<T>
