import {
  startFacilitatorProcess,
  type FacilitatorProcess,
} from '@farebox/local/src/start-facilitator-process'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { processRunOf } from './process-run.ts'
import { manageProcess, type ManagedProcess } from './managed-process.ts'

/** A facilitator that can be killed. */
export interface StormFacilitator extends ManagedProcess {
  /** Where it is and how its secrets are made: the same in all its lives. */
  access(): FacilitatorProcess
}

/** The schema of the ledger, shared by all facilitators of a stage. */
export const LEDGER_SCHEMA = 'storms'

/** Of every facilitator: who holds the lease of an account sends from it. The second is nobody else's in a storm. */
const RELAYER_KEYS = [TEST_KEYS.relayer.privateKey, TEST_KEYS.hirer.privateKey]

/** Makes one; it runs once it is started. No limit of its own is met in a storm. */
export function createStormFacilitator(parts: {
  readonly folder: string
  readonly chain: LocalChain
  readonly databaseUrl: string
  readonly port: number
  readonly name: string
  readonly onLine: (line: string) => void
  readonly onDeath: (name: string, lastLines: string) => void
}): StormFacilitator {
  const { name, onLine, onDeath, ...options } = parts
  let newest: FacilitatorProcess | undefined
  const managed = manageProcess(
    { kind: 'facilitator', name },
    async () => {
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
      return processRunOf(newest)
    },
    onDeath,
  )
  const access = (): FacilitatorProcess => {
    if (newest === undefined) throw new Error(`${name} was never started`)
    return newest
  }
  // Defined on the managed process itself: a copy would not see its pid change.
  return Object.assign(managed, { access })
}
