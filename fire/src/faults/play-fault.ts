import { randomUUID } from 'node:crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { callOurs, callStock, type Called, type CallEnd } from './call-agent.ts'
import type { FaultStage, WiredAgent } from './fault-stage.ts'
import { transfersOf, type FundedPayer } from './payer.ts'
import type { ScriptedFault } from './scripted-fault.ts'

/** How one run of a fault ended. */
export interface FaultRun {
  readonly fault: ScriptedFault
  readonly payer: string
  readonly ended: CallEnd
  /** How often the client had to take the job up again. */
  readonly resumed: number
  /** Transfers of the payer when it ended. */
  readonly transfers: number
  /** Did the fault happen? A transaction of several payments may have met another's first. */
  readonly happened: boolean
  /** What breaks the promise; undefined where it is kept. */
  readonly wrong: string | undefined
  readonly tookMs: number
}

/** Calls the agent, with the fault on its way, and looks at what the client has and at what the chain says. */
export async function playFault(
  faultStage: FaultStage,
  rpc: JsonRpc,
  fault: ScriptedFault,
  payer: FundedPayer,
): Promise<FaultRun> {
  const startedAt = performance.now()
  const jobId = randomUUID()
  let happened = false
  const agent = breakWire(faultStage, fault, { jobId, payer: payer.address }, () => {
    happened = true
  })
  const called = await (fault.caller === 'stock' ? callStock : callOurs)(faultStage, agent, jobId, payer)
  const transfers = await transfersOf(rpc, payer.address)
  return {
    fault,
    payer: payer.address,
    ended: called.ended,
    resumed: called.resumed,
    transfers: transfers.length,
    happened,
    wrong: check(fault, called, transfers, jobId),
    tookMs: performance.now() - startedAt,
  }
}

function breakWire(
  { agent, doubter, node }: FaultStage,
  fault: ScriptedFault,
  marks: { readonly jobId: string; readonly payer: string },
  onHappened: () => void,
): WiredAgent {
  const payer = marks.payer.slice(2).toLowerCase()
  switch (fault.at) {
    case 'facilitator':
      agent.facilitatorWire.breakFor(payer, watched(fault.fault(), onHappened))
      return agent
    case 'liar':
      doubter.facilitatorWire.breakFor(payer, watched(fault.fault(), onHappened))
      return doubter
    case 'agent':
      agent.agentWire.breakFor(marks.jobId, watched(fault.fault(), onHappened))
      return agent
    case 'node':
      node.breakFor(payer, watched(fault.fault(), onHappened))
      return agent
  }
}

/** Tells when a fault has done something: it answers other than "let it pass". */
function watched<Call, Done extends boolean | object | string | undefined>(
  fault: (call: Call) => Promise<Done>,
  onHappened: () => void,
): (call: Call) => Promise<Done> {
  return async call => {
    const done = await fault(call)
    if (done !== false && done !== undefined) onHappened()
    return done
  }
}

/** Money moved = jobs delivered, and what the client was told of the transaction is so. */
function check(
  { ends }: ScriptedFault,
  called: Called,
  transfers: readonly string[],
  jobId: string,
): string | undefined {
  if (transfers.length > 1) return `paid ${transfers.length} times`
  if (called.ended !== 'delivered') {
    if (transfers.length > 0) return `paid and not delivered: ${called.said ?? ''}`
    return ends === 'either' && called.ended === 'failed'
      ? undefined
      : `not delivered (${called.ended}): ${called.said ?? ''}`
  }
  if (transfers.length === 0) return 'delivered without a payment'
  if (called.text !== jobId) return 'another job was delivered'
  if (called.transaction !== undefined && called.transaction !== transfers[0])
    return 'the receipt names another transaction'
  return undefined
}
