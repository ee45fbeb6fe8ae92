import type { Battery, BatteryFlags, BatteryResult, BatteryRun, BatterySize } from '../battery.ts'
import { paymentsFor } from './audit/read-chain.ts'
import { forEachAtOnce } from './for-each-at-once.ts'
import type { Fault } from './script/fault.ts'
import { findWrong, playFault, type FaultRun } from './script/play-fault.ts'
import { openScript } from './script/script-stage.ts'
import { FAULTS } from './script/table.ts'
import { playOnStage } from './stage/stage.ts'
import { grouped, playAndAudit, scoreAudits } from './storm.ts'

const FULL_RUNS = 1_000
/** Runs going on at once: a slow fault delays no other. */
const AT_ONCE = 15

/** Between caller, agent, facilitator and chain: what can be lost, late, doubled or a lie. */
export const faults: Battery = {
  name: 'faults',
  does: 'Scripted faults between caller, agent, facilitator and chain node, with real processes: a job is paid for once, and what was paid is delivered.',
  flags: {
    only: { value: '<words>', help: 'the faults whose name contains these words; a line for each run' },
    runs: { value: '<n>', help: 'so many runs, the faults in turn' },
  },
  run,
}

/** The small form plays each fault once, without the slow ones. */
async function run({ size, signal, progress, flags = {} }: BatteryRun): Promise<BatteryResult> {
  const chosen = choose(size, flags)
  return await playOnStage(signal, async stage => {
    const script = await openScript(stage)
    const { played: runs, judged } = await playAndAudit(stage, async () => {
      const ended: FaultRun[] = []
      const play = async (fault: Fault): Promise<void> => {
        if (signal.aborted) return
        ended.push(await playFault(stage, script, fault))
        progress({ doing: 'faults on the way', done: ended.length, of: chosen.length })
      }
      const [atNode, others] = [chosen.filter(isAtNode), chosen.filter(fault => !isAtNode(fault))]
      // Calls and transactions at the node are for several payments: no two faults are played there at once.
      await Promise.all([forEachAtOnce(1, atNode, play), forEachAtOnce(AT_ONCE, others, play)])
      await script.idle()
      return ended
    })
    signal.throwIfAborted()
    const wrong = runs.flatMap(played => {
      const payments = paymentsFor({ group: played.payer }, judged.chain)
      const reason = findWrong(
        played,
        payments.map(({ transaction }) => transaction),
      )
      process.stdout.write(`${reason ?? played.ended}: ${labelOf(played.fault)}\n`)
      return reason === undefined ? [] : [describe(played.fault, reason)]
    })
    const findings = [...wrong, ...judged.findings, ...stage.eventLog.mishaps]
    const test = `${grouped(chosen.length)} runs of ${new Set(chosen).size} faults on the way`
    return { scores: [scoreAudits(test, [judged], findings)], findings }
  })
}

/** The quick ones in turn; in the full form the slow ones once each, because they take half a minute. */
function choose(size: BatterySize, { only, runs }: BatteryFlags): readonly Fault[] {
  const named = FAULTS.filter(fault => labelOf(fault).includes(only ?? ''))
  const quick = named.filter(({ isSlow }) => !isSlow)
  const slow = size === 'full' ? named.filter(({ isSlow }) => isSlow) : []
  const usual = size === 'full' && only === undefined ? FULL_RUNS : slow.length + quick.length
  const chosen = [...slow]
  for (let at = 0; chosen.length < Number(runs ?? usual) && quick.length > 0; at += 1)
    chosen.push(...quick.slice(at % quick.length, (at % quick.length) + 1))
  if (chosen.length === 0) throw new TypeError(`no fault's name contains "${only}"`)
  return chosen
}

function isAtNode({ at }: Fault): boolean {
  return at === 'node'
}

function labelOf({ at, name, caller }: Fault): string {
  return `${at}: ${name}${caller === 'stock' ? ' (stock x402 client)' : ''}`
}

function describe(fault: Fault, reason: string): string {
  return `${labelOf(fault)}: ${reason} (npm run fire -- faults --only "${fault.name}")`
}
