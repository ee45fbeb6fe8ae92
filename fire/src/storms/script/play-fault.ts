import { randomUUID } from 'node:crypto'
import type { Stage } from '../stage/stage.ts'
import { callAgent, type Called } from './call-agent.ts'
import { toWireFault, type Fault } from './fault.ts'
import type { Script } from './script-stage.ts'

/** How one run of a fault ended. */
export interface FaultRun extends Called {
  readonly fault: Fault
  readonly jobId: string
  /** Lower-case. */
  readonly payer: string
  readonly hasHappened: boolean
}

/** So much a payer has: a second payment would be possible, and is seen. */
const PAYER_ATOMIC = 30_000n

/** Calls an agent with the fault on its way. */
export async function playFault(stage: Stage, { places }: Script, fault: Fault): Promise<FaultRun> {
  const { address, privateKey } = await stage.fundPayer(PAYER_ATOMIC)
  const { crypto } = stage
  const { agentUrl: url, wire } = places[fault.at]
  const jobId = randomUUID()
  let hasHappened = false
  const breaks = toWireFault(fault, () => {
    hasHappened = true
  })
  // What the requests on this wire contain.
  wire.breakFor(fault.at === 'agent' ? jobId : address.slice(2), breaks)
  const called = await callAgent(fault.caller, { crypto, url, jobId, privateKey })
  return { ...called, fault, jobId, payer: address, hasHappened }
}

/**
 * What breaks the promise, undefined where it is kept: money moved = jobs delivered, and what the client received of the
 * transaction is true.
 *
 * @param transactions the payments of its payer
 */
export function findWrong(run: FaultRun, transactions: readonly string[]): string | undefined {
  const { fault, ended, said = '', text, transaction, jobId } = run
  if (!run.hasHappened) return 'the fault did not happen'
  if (transactions.length !== (ended === 'delivered' ? 1 : 0))
    return `${ended}, and paid ${transactions.length} times: ${said}`
  if (ended !== 'delivered')
    return fault.ends === 'either' && ended === 'failed' ? undefined : `not delivered (${ended}): ${said}`
  if (text !== jobId) return 'another job was delivered'
  return transaction !== undefined && transaction !== transactions[0]
    ? 'the receipt names another transaction'
    : undefined
}
