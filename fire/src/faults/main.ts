import { parseArgs } from 'node:util'
import { chooseRuns } from './choose-runs.ts'
import { countRuns, tellWrong } from './count-runs.ts'
import { setFaultStage } from './fault-stage.ts'
import type { FaultRun } from './play-fault.ts'
import { playFaults, scriptedFaults } from './play-faults.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: String(scriptedFaults.length) },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
  },
})

process.exitCode = await main()

/** Plays so many runs, the faults in turn; 0 where every promise was kept. */
async function main(): Promise<number> {
  const faults = scriptedFaults.filter(
    ({ name, at, slow }) => `${at}: ${name}`.includes(values.only) && !(values.quick && slow === true),
  )
  const total = Number(values.runs)
  const chosen = chooseRuns(faults, total)
  const stage = await setFaultStage()
  const startedAt = performance.now()
  try {
    let done = 0
    const runs = await playFaults(stage, chosen, run => {
      done += 1
      if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${done} of ${total}  ${run.fault.name}`)
    })
    process.stderr.write('\r\u001B[K')
    tell(faults.map(fault => runs.filter(run => run.fault === fault)))
    const broken = tellWrong(runs)
    const { delivered, transfers, failed, paidTwice, paidAndLost } = countRuns(runs)
    process.stdout.write(
      `\n${faults.length} faults, ${runs.length} runs in ${Math.round((performance.now() - startedAt) / 1_000)} s: ` +
        `${delivered} delivered, ${transfers} transfers, ${failed} failed and not charged, ` +
        `${paidTwice} paid twice, ${paidAndLost} paid and lost\n`,
    )
    for (const line of broken) process.stdout.write(`  ✗ ${line}\n`)
    return broken.length === 0 ? 0 : 1
  } finally {
    await stage.stop()
  }
}

/** A line for each fault. */
function tell(groups: readonly (readonly FaultRun[])[]): void {
  for (const runs of groups) {
    const [first] = runs
    if (first === undefined) continue
    const count = (ended: FaultRun['ended']): number => runs.filter(run => run.ended === ended).length
    const slowestMs = Math.max(...runs.map(({ tookMs }) => tookMs))
    const resumed = runs.reduce((sum, run) => sum + run.resumed, 0)
    const mark = runs.some(({ wrong }) => wrong !== undefined) ? '✗' : '✓'
    process.stdout.write(
      `${mark} ${first.fault.at.padEnd(11)} ${first.fault.name.padEnd(64)} ` +
        `${String(runs.length).padStart(4)} runs, ${count('delivered')} delivered, ${count('failed')} failed, ` +
        `${resumed} resumed, at most ${(slowestMs / 1_000).toFixed(1)} s\n`,
    )
  }
}
