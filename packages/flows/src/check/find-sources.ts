import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '../document/flow.ts'
import { isAlike } from '../document/plain-name.ts'
import type { PortType } from '../graph/field-of.ts'
import { stepsBefore } from '../graph/steps-before.ts'
import { findInput } from '../graph/find-port.ts'
import type { Inspection } from './inspection.ts'

const RANKS = { same: 0, safe: 1, lossy: 2, impossible: 3 } as const
const MOST = 2
/** The most steps that are compared, latest first: in a large flow a distant step is rarely intended. */
const NEAREST_STEPS = 40
/** The cost of comparing two names. */
const STEPS_PER_OUTPUT = 4

/** The kinds of sources, most likely intended first. */
const KINDS = ['named', 'free', 'named-input', 'same-type', 'other'] as const

/** An output that may feed an input. */
interface Source {
  readonly from: PortRef
  /** `other`: the output has another type, and is rarely intended. */
  readonly kind: (typeof KINDS)[number]
  readonly rank: number
}

/**
 * Outputs that may feed an input, best first: outputs of steps by name; outputs of earlier, unused steps in declared order,
 * even if values may be refused; inputs of the flow by name; then by type and grade. Outputs that depend on the step itself
 * are excluded.
 */
export function findSources(inspection: Inspection, to: PortRef): readonly Source[] {
  const { graph, guesses } = inspection
  const input = findInput(graph, to)
  if (input === undefined) return []
  const found: Source[] = []
  const counts = new Map<Source['kind'], number>()
  const isFree = freeBefore(inspection, to.step)
  const name = guesses.plain(to.port)
  for (const id of stepsBefore(graph, to.step, NEAREST_STEPS)) {
    for (const output of graph.outputsOf(id)) {
      if (!guesses.take(STEPS_PER_OUTPUT)) break
      const isNamed = isAlike(guesses.plain(output.name), name)
      const isSame = isOneType(output.type, input.type)
      const kind = kindOf(id, { isNamed, isSame, isFree: isFree(id) })
      // The nearest outputs of a kind are enough; a matching name counts at any distance.
      if (!isNamed && counts.get(kind) === MOST) continue
      const rank = RANKS[guesses.gradeTypes(output.type, input.type).grade]
      if (rank >= (isNamed || kind === 'free' ? RANKS.impossible : RANKS.lossy)) continue
      found.push({ from: { step: id, port: output.name }, kind, rank })
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
  }
  return found
    .sort(
      (one, other) =>
        KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
        // Among unused outputs the main output comes first, which is the one declared first.
        (one.kind === 'free' ? 0 : one.rank - other.rank),
    )
    .slice(0, MOST)
}

function kindOf(
  id: string,
  {
    isNamed,
    isSame,
    isFree,
  }: { readonly isNamed: boolean; readonly isSame: boolean; readonly isFree: boolean },
): Source['kind'] {
  if (isNamed && id !== FLOW_INPUT) return 'named'
  if (isFree && isSame) return 'free'
  if (isNamed) return 'named-input'
  return isSame ? 'same-type' : 'other'
}

/** Finds unused steps before a step: a step that was added later is rarely intended to come before it. */
function freeBefore({ graph, guesses }: Inspection, step: string): (id: string) => boolean {
  const { order } = graph
  const place = order.indexOf(step)
  const last = place === -1 ? order.length : place
  const before = new Set(order.slice(Math.max(0, last - NEAREST_STEPS), last))
  const given = graph.wiredTo(FLOW_OUTPUT)
  if (!guesses.take(given.length)) return () => false
  const used = new Set(given.map(from => from.step))
  return id => before.has(id) && !used.has(id) && graph.targetsOf(id).length === 0
}

/** Do the types match, where integers count as numbers? */
function isOneType(output: PortType, input: PortType): boolean {
  if (output === 'any' || input === 'any') return true
  const plain = ({ type }: Exclude<PortType, 'any'>): string => (type === 'integer' ? 'number' : type)
  return plain(output) === plain(input)
}
