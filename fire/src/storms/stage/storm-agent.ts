import { fileURLToPath } from 'node:url'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { startAgentProcess } from '@farebox/local/src/start-agent-process'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import { Pool } from 'undici'
import type { EventLog } from '../event-log.ts'
import { processRunOf } from './process-run.ts'
import { manageProcess, type ManagedProcess } from './managed-process.ts'

/** A replica of the agent that can be killed. */
export interface StormAgent extends ManagedProcess {
  /** Connections to it that are kept alive, over all its lives. */
  readonly connections: Pool
  /** Closes them. */
  hangUp(): Promise<void>
}

/** What all replicas call themselves, so that a payment bound to the job is good at each (D13). */
export const PUBLIC_URL = 'https://storms.example'

const CONFIG = fileURLToPath(new URL('../agent/agent.json', import.meta.url))
/** Longer than an agent keeps anybody waiting: a deadline of a minute, and patience for its settlement. */
const ANSWER_TIMEOUT_MS = 80_000
const CONNECTIONS = 250

/** Makes one; it runs once it is started. */
export function createStormAgent(parts: {
  readonly folder: string
  readonly chain: LocalChain
  readonly facilitator: FacilitatorProcess
  readonly secret: string
  readonly wallet: string
  readonly store: string
  readonly runsFile: string
  readonly name: string
  readonly port: number
  readonly eventLog: EventLog
  readonly onLine: (line: string) => void
  readonly onDeath: (name: string, lastLines: string) => void
}): StormAgent {
  const { name, port, wallet, runsFile, eventLog, onLine, onDeath, ...options } = parts
  const managed = manageProcess(
    { kind: 'agent', name },
    async () =>
      processRunOf(
        await startAgentProcess({
          ...options,
          name,
          agent: { config: CONFIG, wallet, port },
          environment: { SERVICE_PUBLIC_URL: PUBLIC_URL, STORM_RUNS_FILE: runsFile },
          onLine(_, line) {
            onLine(line)
            const jobId = /"event":"execute","job":"([^"]+)"/.exec(line)?.[1]
            if (jobId !== undefined) eventLog.executing(name, jobId)
          },
        }),
      ),
    onDeath,
  )
  const connections = new Pool(`http://127.0.0.1:${port}`, {
    connections: CONNECTIONS,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  })
  // Defined on the managed process itself: a copy would not see its pid change.
  return Object.assign(managed, { connections, hangUp: () => connections.destroy() })
}
