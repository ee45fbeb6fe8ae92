import type { Battery, BatteryFlags, BatteryResult, BatteryRun, BatterySize } from '../battery.ts'
import { agentFaults } from './script/agent-faults.ts'
import { facilitatorFaults } from './script/facilitator-faults.ts'
import type { Fault } from './script/fault.ts'
import { lies } from './script/lies.ts'
import { nodeFaults } from './script/node-faults.ts'
import { playScript, type FaultRun } from './script/play-script.ts'
import { openScriptStage } from './script/script-stage.ts'
import { grouped } from './storm-run.ts'

const SCRIPT: readonly Fault[] = [...facilitatorFaults, ...lies, ...agentFaults, ...nodeFaults]
const FULL_RUNS = 1_000

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
  const stage = await openScriptStage({ signal })
  try {
    let done = 0
    const onRun = (): void => progress({ doing: 'faults on the way', done: (done += 1), of: chosen.length })
    const { runs, findings } = await playScript(stage, chosen, onRun, signal)
    signal.throwIfAborted()
    for (const played of runs)
      process.stdout.write(`${played.wrong ?? played.ended}: ${labelOf(played.fault)}\n`)
    const wrong = runs.flatMap(played => (played.wrong === undefined ? [] : [describe(played)]))
    return score(new Set(chosen).size, chosen.length, runs, [...wrong, ...findings])
  } finally {
    await stage.end()
  }
}

/** The quick ones in turn; in the full form the slow ones once each, because they take half a minute. */
function choose(size: BatterySize, { only, runs }: BatteryFlags): readonly Fault[] {
  const named = SCRIPT.filter(fault => labelOf(fault).includes(only ?? ''))
  const quick = named.filter(({ isSlow }) => !isSlow)
  const slow = size === 'full' ? named.filter(({ isSlow }) => isSlow) : []
  const usual = size === 'full' && only === undefined ? FULL_RUNS : slow.length + quick.length
  const chosen = [...slow]
  for (let at = 0; chosen.length < Number(runs ?? usual) && quick.length > 0; at += 1)
    chosen.push(...quick.slice(at % quick.length, (at % quick.length) + 1))
  if (chosen.length === 0) throw new TypeError(`no fault's name contains "${only}"`)
  return chosen
}

function labelOf({ at, name, caller }: Fault): string {
  return `${at}: ${name}${caller === 'stock' ? ' (stock x402 client)' : ''}`
}

function describe({ fault, wrong }: FaultRun): string {
  return `${labelOf(fault)}: ${wrong} (npm run fire -- faults --only "${fault.name}")`
}

function score(
  kinds: number,
  asked: number,
  runs: readonly FaultRun[],
  findings: readonly string[],
): BatteryResult {
  const count = (is: (run: FaultRun) => boolean): number => runs.filter(is).length
  const delivered = count(({ ended }) => ended === 'delivered')
  const transfers = runs.reduce((sum, { transactions }) => sum + transactions.length, 0)
  const failed = count(({ ended, transactions }) => ended === 'failed' && transactions.length === 0)
  const paidTwice = count(({ transactions }) => transactions.length > 1)
  const paidAndLost = count(({ ended, transactions }) => transactions.length > 0 && ended !== 'delivered')
  return {
    scores: [
      {
        test: `${grouped(asked)} runs of ${kinds} faults on the way`,
        reached: `${delivered} delivered, ${failed} failed and not charged, ${transfers} transfers`,
        target: 'a transfer for each job delivered, none for the others',
        isMet:
          runs.length === asked &&
          delivered + failed === asked &&
          transfers === delivered &&
          findings.length === 0,
      },
      {
        test: 'jobs paid for twice, or paid for and lost',
        reached: `${paidTwice} and ${paidAndLost}`,
        target: '0 and 0',
        isMet: paidTwice + paidAndLost === 0,
      },
    ],
    findings,
  }
}
