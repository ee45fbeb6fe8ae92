import type { ScriptedFault } from './scripted-fault.ts'

/** So many runs of faults: the slow ones once each, because they take half a minute, the others in turn. */
export function chooseRuns(faults: readonly ScriptedFault[], total: number): readonly ScriptedFault[] {
  const slow = faults.filter(fault => fault.slow === true)
  const quick = faults.filter(fault => fault.slow !== true)
  const rest = Array.from(
    { length: Math.max(0, total - slow.length) },
    (_, index) => quick[index % quick.length],
  )
  return [...slow, ...rest.filter(fault => fault !== undefined)]
}
