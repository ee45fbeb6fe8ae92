import { randomBytes, randomUUID } from 'node:crypto'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { execute } from '@farebox/client/execute'
import type { JournalEntry } from '@farebox/client/journal-entry'
import type { JobResult } from '@farebox/client/job-result'
import { resume } from '@farebox/client/resume'
import { TRANSFER_TOPIC } from '@farebox/payments/chain-proof'
import type { EvmCrypto } from '@farebox/payments/evm-crypto'
import type { JsonRpc } from '@farebox/payments/json-rpc'
import { privateKeySigner } from '@farebox/payments/sign-payment'
import { privateKeyToAccount } from 'viem/accounts'
import { jobBody } from '../../../e2e/stage/pay.ts'
import type { FaultStage, WiredAgent } from './fault-stage.ts'
import type { ScriptedFault } from './scripted-fault.ts'

/** How one run of a fault ended. */
export interface FaultRun {
  readonly fault: ScriptedFault
  readonly payer: string
  /** `failed`: the client was told so, by a typed error of the agent. */
  readonly ended: 'delivered' | 'failed' | 'unresolved'
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

/** So much a new payer has: a second payment would be possible, and is seen. */
export const PAYER_ATOMIC = 30_000n
const TRIES = 8
const RETRY_MS = 400
/** Each try; the slowest faults take half a minute. */
const PATIENCE_MS = 60_000
/** A fault keeps its job busy for about so long; the agent takes no shorter deadline badly. */
const DEADLINE_SECONDS = 20

/** A payer for a run, funded beforehand: faucets are one account. */
export interface FundedPayer {
  readonly key: string
  readonly address: string
}

/** Makes an account without money. */
export function newPayer({ stage }: FaultStage): FundedPayer {
  const key = `0x${randomBytes(32).toString('hex')}`
  return { key, address: privateKeySigner(stage.crypto, key).address }
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
    wrong: judge(fault, called, transfers, jobId),
    tookMs: performance.now() - startedAt,
  }
}

/** The transactions that moved money out of an account. */
export async function transfersOf(rpc: JsonRpc, account: string): Promise<readonly string[]> {
  const topic = `0x${account.slice(2).padStart(64, '0')}`
  const logs = await rpc.call('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER_TOPIC, topic] },
  ])
  return (logs as readonly { transactionHash: string }[]).map(log => log.transactionHash.toLowerCase())
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

interface Called {
  readonly ended: FaultRun['ended']
  readonly resumed: number
  /** The job_id the output speaks of, and the transaction its receipt names. */
  readonly text?: unknown
  readonly transaction?: string | undefined
  readonly said?: string
}

/** Our client: `execute`, and `resume` for as long as the job is unresolved or was refused for a passing reason. */
async function callOurs(
  { stage }: FaultStage,
  { agentWire }: WiredAgent,
  jobId: string,
  { key }: FundedPayer,
): Promise<Called> {
  let entry: JournalEntry | undefined
  const options = (): { crypto: EvmCrypto; signal: AbortSignal } => ({
    crypto: stage.crypto,
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const begin = (): Promise<JobResult> =>
    execute(
      agentWire.url,
      'tell',
      { text: jobId },
      {
        ...options(),
        signer: privateKeySigner(stage.crypto, key),
        jobId,
        deadlineSeconds: DEADLINE_SECONDS,
        journal: written => {
          entry = written
        },
      },
    )
  let said = ''
  let ended: Called['ended'] = 'failed'
  for (let resumed = 0; resumed < 3; resumed += 1) {
    try {
      const { output, payment } = await (entry === undefined ? begin() : resume(entry, options()))
      return { ended: 'delivered', resumed, text: output['text'], transaction: payment?.transaction }
    } catch (error) {
      ended = error instanceof Error && error.name === 'PaymentUnresolved' ? 'unresolved' : 'failed'
      said = error instanceof Error ? error.message : String(error)
      await wait(RETRY_MS)
    }
  }
  return { ended, resumed: 3, said }
}

/** The x402 project's client, called again with the same body: it signs a new payment every time. */
async function callStock(
  _: FaultStage,
  { agentWire }: WiredAgent,
  jobId: string,
  { key }: FundedPayer,
): Promise<Called> {
  const client = new x402Client().register(
    'eip155:*',
    new ExactEvmScheme(privateKeyToAccount(key as `0x${string}`)),
  )
  const pay = wrapFetchWithPayment(fetch, client)
  const body = jobBody(jobId, { text: jobId }, { capability: 'tell', deadlineSeconds: DEADLINE_SECONDS })
  let said = ''
  for (let resumed = 0; resumed < TRIES; resumed += 1) {
    try {
      const answer = await pay(`${agentWire.url}/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const text = await answer.text()
      said = `HTTP ${answer.status} ${text.slice(0, 200)}`
      if (answer.status === 200) {
        const { output } = JSON.parse(text) as { output: { text: unknown } }
        return { ended: 'delivered', resumed, text: output.text }
      }
    } catch (error) {
      said = error instanceof Error ? error.message : String(error)
    }
    await wait(RETRY_MS)
  }
  return { ended: 'failed', resumed: TRIES, said }
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms)
  })
}

/** Money moved = jobs delivered, and what the client was told of the transaction is so. */
function judge(
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
