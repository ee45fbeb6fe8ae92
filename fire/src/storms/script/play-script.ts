import { randomUUID } from 'node:crypto'
import { audit, findingsOf } from '../audit/audit.ts'
import { groupPayments, readChain, watchChain } from '../audit/read-chain.ts'
import { callAgent, type Called } from './call-agent.ts'
import { toWireFault, type Fault } from './fault.ts'
import type { ScriptStage, WiredAgent } from './script-stage.ts'

/** How one run of a fault ended. */
export interface FaultRun extends Called {
  readonly fault: Fault
  readonly jobId: string
  /** Lower-case. */
  readonly payer: string
  /** Did the fault happen? A transaction of several payments may have met another's first. */
  readonly hasHappened: boolean
  /** The payments of its payer, in the end. */
  readonly transactions: readonly string[]
  /** What breaks the promise; undefined where it is kept. */
  readonly wrong: string | undefined
}

/** Runs going on at once: a slow fault delays no other. */
const AT_ONCE = 16
/** A fault that another one came before is played again, so often at most for each entry. */
const REPLAYS = 20
/** So much a payer has: a second payment would be possible, and is seen. */
const PAYER_ATOMIC = 30_000n

/** Plays a run for each entry of `faults`, waits until all is settled, and judges them and the whole stage. */
export async function playScript(
  stage: ScriptStage,
  faults: readonly Fault[],
  onRun: (fault: Fault) => void,
  signal: AbortSignal,
): Promise<{ readonly runs: readonly FaultRun[]; readonly findings: readonly string[] }> {
  const watch = watchChain(stage)
  const played = await playAll(stage, faults, onRun, signal)
  const { node, believer, doubter, checker } = stage
  const agents = [believer, doubter, checker]
  await Promise.all(
    [node, ...agents.flatMap(one => [one.agentWire, one.facilitatorWire])].map(one => one.idle()),
  )
  await watch.stop()
  const orders = [...stage.eventLog.orders.values()]
  const agentOf = ({ jobId }: { readonly jobId: string }): WiredAgent['agent'] | undefined => {
    const name = stage.eventLog.attemptsOf(jobId)[0]?.agent
    return agents.find(({ agent }) => agent.name === name)?.agent
  }
  const judged = await audit(stage, orders, { seenMs: watch.seenMs, agentFor: agentOf, signal })
  const paymentsOf = groupPayments(await readChain(stage))
  const runs = played.map(run => {
    const transactions = paymentsOf(run.payer).map(([, { transaction }]) => transaction)
    return { ...run, transactions, wrong: findWrong(run, transactions) }
  })
  return { runs, findings: [...findingsOf(judged), ...stage.eventLog.mishaps] }
}

type Played = Omit<FaultRun, 'transactions' | 'wrong'>

async function playAll(
  stage: ScriptStage,
  faults: readonly Fault[],
  onRun: (fault: Fault) => void,
  signal: AbortSignal,
): Promise<readonly Played[]> {
  const runs: Played[] = []
  const queue = faults.map(fault => ({ fault, replays: 0 }))
  let alone: Promise<unknown> = Promise.resolve()
  const play = (fault: Fault): Promise<Played> => {
    if (!fault.isAlone) return playFault(stage, fault)
    const run = alone.then(() => playFault(stage, fault))
    alone = run.catch(() => undefined)
    return run
  }
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
      const { fault, replays } = next
      const run = await play(fault)
      if (!run.hasHappened && replays < REPLAYS) queue.push({ fault, replays: replays + 1 })
      else {
        runs.push(run)
        onRun(fault)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return runs
}

/** Calls an agent with the fault on its way. */
async function playFault(stage: ScriptStage, fault: Fault): Promise<Played> {
  const payer = await stage.fundPayer(PAYER_ATOMIC)
  const jobId = randomUUID()
  let hasHappened = false
  const address = payer.address.slice(2).toLowerCase()
  const { agent, wire, mark } = placeOf(stage, fault, { jobId, address })
  const undo = wire.breakFor(
    mark,
    toWireFault(fault, () => {
      hasHappened = true
    }),
  )
  try {
    const url = agent.agentWire.url
    const called = await callAgent(fault.caller, { crypto: stage.crypto, url, jobId, key: payer.key })
    return { ...called, fault, jobId, payer: `0x${address}`, hasHappened }
  } finally {
    undo()
  }
}

/** Where a fault happens: which agent is called, on which wire it is, and what its requests contain. */
function placeOf(
  { believer, doubter, checker, node }: ScriptStage,
  { at }: Fault,
  { jobId, address }: { readonly jobId: string; readonly address: string },
): { readonly agent: WiredAgent; readonly wire: WiredAgent['agentWire']; readonly mark: string } {
  switch (at) {
    case 'facilitator':
      return { agent: believer, wire: believer.facilitatorWire, mark: address }
    case 'liar':
      return { agent: doubter, wire: doubter.facilitatorWire, mark: address }
    case 'holder':
      return { agent: checker, wire: checker.facilitatorWire, mark: address }
    case 'agent':
      return { agent: believer, wire: believer.agentWire, mark: jobId }
    case 'node':
      return { agent: believer, wire: node, mark: address }
  }
}

/** Money moved = jobs delivered, and what the client received of the transaction is true. */
function findWrong(run: Played, transactions: readonly string[]): string | undefined {
  const { fault, ended, said = '', text, transaction, jobId } = run
  if (!run.hasHappened) return 'the fault did not happen'
  if (transactions.length > 1) return `paid ${transactions.length} times`
  if (ended !== 'delivered') {
    if (transactions.length > 0) return `paid and not delivered: ${said}`
    return fault.ends === 'either' && ended === 'failed' ? undefined : `not delivered (${ended}): ${said}`
  }
  if (transactions.length === 0) return 'delivered without a payment'
  if (text !== jobId) return 'another job was delivered'
  return transaction !== undefined && transaction !== transactions[0]
    ? 'the receipt names another transaction'
    : undefined
}
