import type { PortRef } from '../document/flow.ts'
import { isAlike } from '../document/plain-name.ts'
import { stepsBefore } from '../graph/steps-before.ts'
import type { Inspection } from './inspection.ts'

const RANKS = { same: 0, safe: 1, lossy: 2, impossible: 3 } as const
const MOST = 2
/** Steps that are looked at, the latest first: in a large flow what is far away is seldom meant. */
const NEAREST_STEPS = 40
/** Two names are compared. */
const STEPS_PER_OUTPUT = 4

/**
 * Outputs that may feed an input, the best first: by name and grade, then by grade. None that would wait for the step
 * itself, and with a loss none whose name is not alike.
 */
export function findSources({ graph, guesses }: Inspection, to: PortRef): readonly PortRef[] {
  const input = graph.inputsOf(to.step).find(({ name }) => name === to.port)
  if (input === undefined) return []
  const found: { readonly from: PortRef; readonly rank: number; readonly isNamed: boolean }[] = []
  let others = 0
  const name = guesses.plain(to.port)
  for (const id of stepsBefore(graph, to.step, NEAREST_STEPS)) {
    for (const output of graph.outputsOf(id)) {
      if (!guesses.take(STEPS_PER_OUTPUT)) break
      const isNamed = isAlike(guesses.plain(output.name), name)
      // Of those that fit by type alone the nearest are enough.
      if (!isNamed && others === MOST) continue
      const rank = RANKS[guesses.gradeTypes(output.type, input.type).grade]
      if (rank >= (isNamed ? RANKS.impossible : RANKS.lossy)) continue
      found.push({ from: { step: id, port: output.name }, rank, isNamed })
      if (!isNamed) others += 1
    }
  }
  return found
    .sort((one, other) => Number(other.isNamed) - Number(one.isNamed) || one.rank - other.rank)
    .slice(0, MOST)
    .map(({ from }) => from)
}
