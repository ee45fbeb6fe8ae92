import { randomUUID } from 'node:crypto'
import {
  RefusedOption,
  type Battery,
  type BatteryFlags,
  type BatteryResult,
  type BatteryRun,
  type BatterySize,
} from '../battery.ts'
import { audit, forEachAtOnce, scoreAudits } from './audit/audit.ts'
import { paymentsFor } from './audit/read-chain.ts'
import { callAgent, type Called } from './script/call-agent.ts'
import type { Fault } from './script/fault.ts'
import { openScript, type Places } from './script/script-stage.ts'
import { FAULTS } from './script/table.ts'
import { playOnStage, type Stage } from './stage/stage.ts'

const FULL_RUNS = 1_000
/** The number of concurrent runs: a slow fault delays no other. */
const AT_ONCE = 15
/** The balance of a payer: enough for a second payment, which would be noticed. */
const PAYER_ATOMIC = 30_000n

/** Faults between caller, agent, facilitator and chain: lost, late, doubled or false messages. */
export const faults: Battery = {
  name: 'faults',
  does: 'Scripted faults between caller, agent, facilitator and chain node, with real processes: a job is paid for once, and what was paid is delivered.',
  flags: { only: { value: '<words>', help: 'the faults whose name contains these words, once each' } },
  run,
}

/** The small form runs each fault once, without the slow ones. */
async function run({ size, signal, progress, flags = {} }: BatteryRun): Promise<BatteryResult> {
  const chosen = choose(size, flags)
  return await playOnStage(signal, async stage => {
    const { places, idle } = await openScript(stage)
    const runs: FaultRun[] = []
    const play = async (fault: Fault): Promise<void> => {
      if (signal.aborted) return
      runs.push(await playFault(stage, places, fault))
      progress({ doing: 'faults on the way', done: runs.length, of: chosen.length })
    }
    const atNode = chosen.filter(({ at }) => at === 'node')
    const others = chosen.filter(({ at }) => at !== 'node')
    // Calls and transactions at the node are for several payments: no two faults run there concurrently.
    await Promise.all([forEachAtOnce(1, atNode, play), forEachAtOnce(AT_ONCE, others, play)])
    await idle()
    const judged = await audit(stage, [...stage.eventLog.orders.values()])
    signal.throwIfAborted()
    const wrong = runs.flatMap(played => {
      const reason = findWrong(played, paymentsFor({ group: played.payer }, judged.chain))
      const { name } = played.fault
      return reason === undefined ? [] : [`${name}: ${reason} (npm run fire -- faults --only "${name}")`]
    })
    const findings = [...wrong, ...judged.findings, ...stage.eventLog.mishaps]
    const test = `${chosen.length.toLocaleString('en-US')} runs of ${new Set(chosen).size} faults on the way`
    return { scores: [scoreAudits(test, [judged], findings)], findings }
  })
}

/** In the full form the quick ones in turn, and the slow ones once each, because they take half a minute. */
function choose(size: BatterySize, { only }: BatteryFlags): readonly Fault[] {
  if (only !== undefined) {
    const named = FAULTS.filter(({ name }) => name.includes(only))
    if (named.length === 0) throw new RefusedOption(`no fault's name contains "${only}"`)
    return named
  }
  const quick = FAULTS.filter(({ isSlow }) => !isSlow)
  if (size === 'small') return quick
  const slow = FAULTS.filter(({ isSlow }) => isSlow)
  const turns = Math.ceil((FULL_RUNS - slow.length) / quick.length)
  return [...slow, ...Array.from({ length: turns }, () => quick).flat()].slice(0, FULL_RUNS)
}

/** The result of one run of a fault. */
interface FaultRun extends Called {
  readonly fault: Fault
  readonly jobId: string
  /** Lower-case. */
  readonly payer: string
  readonly hasHappened: boolean
}

/** Calls an agent while the fault is active. */
async function playFault(stage: Stage, places: Places, fault: Fault): Promise<FaultRun> {
  const { address, privateKey } = await stage.fundPayer(PAYER_ATOMIC)
  const { agentUrl: url, wire } = places[fault.at]
  const jobId = randomUUID()
  // The text that the requests on this wire contain.
  const hasHappened = wire.breakFor(fault.at === 'agent' ? jobId : address.slice(2), fault)
  const called = await callAgent(fault.caller, { crypto: stage.crypto, url, jobId, privateKey })
  return { ...called, fault, jobId, payer: address, hasHappened: hasHappened() }
}

/**
 * A false result of the client; undefined if it is correct. The agents' answers, and that a payment bought one job, are
 * judged by the audit.
 */
function findWrong(run: FaultRun, { length: paid }: readonly unknown[]): string | undefined {
  const { fault, ended, said = '', text, jobId, hasHappened } = run
  if (!hasHappened) return 'the fault did not happen'
  if (ended === 'delivered') return text === jobId ? undefined : 'another job was delivered'
  const isTrueFailure = fault.ends === 'either' && ended === 'failed' && paid === 0
  return isTrueFailure ? undefined : `not delivered (${ended}), and paid ${paid} times: ${said}`
}
