import type { Battery, BatteryResult, BatterySize } from '../battery.ts'
import { chooseRuns } from './choose-runs.ts'
import { countRuns, tellWrong, type RunCounts } from './count-runs.ts'
import { setFaultStage } from './fault-stage.ts'
import { playFaults, scriptedFaults } from './play-faults.ts'
import type { ScriptedFault } from './scripted-fault.ts'

const RUNS = 1_000
/** One between any two of the parties, and a facilitator that lies. */
const SMALL: readonly string[] = [
  'facilitator: settled, then the connection is reset',
  'facilitator: verified, then 502',
  'liar: settles, and says that the balance was too small',
  'agent: done and charged, then a second 402',
  'node: looks: reset',
]

/** Between caller, agent, facilitator and chain: what can be lost, late, doubled or a lie. */
export const faults: Battery = {
  name: 'faults',
  does: 'Scripted faults between caller, agent, facilitator and chain node, with real processes: a job is paid for once, and what was paid is delivered.',
  async run({ size, signal, progress }) {
    const chosen = choose(size)
    const stage = await setFaultStage()
    try {
      let done = 0
      const runs = await playFaults(
        stage,
        chosen,
        () => progress({ doing: 'faults on the way', done: (done += 1), of: chosen.length }),
        signal,
      )
      signal.throwIfAborted()
      return score(new Set(chosen).size, chosen.length, countRuns(runs), tellWrong(runs))
    } finally {
      await stage.stop()
    }
  },
}

function choose(size: BatterySize): readonly ScriptedFault[] {
  if (size === 'full') return chooseRuns(scriptedFaults, RUNS)
  return SMALL.map(name => {
    const fault = scriptedFaults.find(one => `${one.at}: ${one.name}` === name)
    if (fault === undefined) throw new RangeError(`no fault is called "${name}"`)
    return fault
  })
}

function score(kinds: number, asked: number, counts: RunCounts, findings: readonly string[]): BatteryResult {
  const { runs, delivered, transfers, failed, paidTwice, paidAndLost } = counts
  return {
    scores: [
      {
        test: `${asked.toLocaleString('en-US')} runs of ${kinds} faults on the way`,
        reached: `${delivered} delivered, ${failed} failed and not charged, ${transfers} transfers`,
        target: 'a transfer for each job delivered, none for the others',
        isMet:
          runs === asked && delivered + failed === runs && transfers === delivered && findings.length === 0,
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
