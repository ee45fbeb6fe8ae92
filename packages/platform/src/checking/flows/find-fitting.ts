import { compatible, type Grade } from '@farebox/protocol/compatibility/compatible'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { checkFields } from '@farebox/protocol/field-rules/check-fields'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import { readUsdc } from '@farebox/protocol/money/usdc'
import { formatProblem } from '@farebox/protocol/problems/problem'
import type { Clock } from '@farebox/protocol/time/clock'
import { wordsOf } from '../../words.ts'
import { readStorableJson } from '../read-json.ts'

/** The conditions of a search for capabilities. */
export interface CapabilityQuestion {
  /**
   * Words to search for in an agent's texts. When some of its capabilities contain the words themselves, only those are
   * returned.
   */
  readonly words?: readonly string[]
  readonly maxPriceAtomic?: bigint
  /** A field, as untrusted JSON: the capability must have a compatible field on this side. */
  readonly fit?: { readonly side: 'input' | 'output'; readonly field: string }
}

/** An agent's declaration as stored: JSON that was validated when it was read from the agent. */
export interface KeptDeclaration {
  readonly agentId: number
  readonly declaration: string
}

/** A compatible port, and how well it fits. */
export interface PortFit {
  readonly port: string
  readonly grade: Exclude<Grade, 'impossible'>
  readonly reason: string
}

/** A capability that meets the conditions. */
export interface FittingCapability {
  readonly agentId: number
  readonly capability: string
  /** Its position in the declaration. */
  readonly ordinal: number
  /** Where the words were found: 0 in the names of agent and capability, 1 in their descriptions, 2 elsewhere. */
  readonly wordRank: number
  /** Best first, and required ports before optional ones of the same grade; empty when no field was given. */
  readonly fits: readonly PortFit[]
}

/** The matching capabilities and the number of agents examined, or the problem with the given field. */
export type FoundFitting =
  | { readonly ok: true; readonly found: readonly FittingCapability[]; readonly examined: number }
  | { readonly ok: false; readonly reason: string }

/** The same limit as in search: capabilities beyond it are not offered. */
const MOST_CAPABILITIES = 64
const MOST_PORTS = 64
const MOST_WORDS = 256

/** Grades of compatibility, the best first. */
export const GRADES = ['same', 'safe', 'lossy'] as const

/**
 * Finds the capabilities of these agents that meet the conditions, in the order of the agents.
 *
 * @param timeMs no further agent is examined after this time, because patterns can be made slow
 */
export function findFitting(
  agents: readonly KeptDeclaration[],
  question: CapabilityQuestion,
  { clock, timeMs }: { readonly clock: Pick<Clock, 'nowMs'>; readonly timeMs: number },
): FoundFitting {
  const read = question.fit === undefined ? undefined : readField(question.fit)
  if (read?.ok === false) return read
  const untilMs = clock.nowMs() + timeMs
  const found: FittingCapability[] = []
  let examined = 0
  for (const { agentId, declaration } of agents) {
    if (examined > 0 && clock.nowMs() >= untilMs) break
    examined += 1
    // Safe: the declaration was validated when the agent was listed.
    found.push(...ofAgent(agentId, JSON.parse(declaration) as Declaration, question, read?.field))
  }
  return { ok: true, found, examined }
}

function readField({
  side,
  field,
}: NonNullable<CapabilityQuestion['fit']>):
  | { readonly ok: true; readonly field: Field }
  | { readonly ok: false; readonly reason: string } {
  const json = readStorableJson(field)
  if (!json.ok) return json
  // The field is on the other side: an output that feeds an input, or the reverse.
  const [problem] = checkFields({ field: json.value }, [], { side: side === 'input' ? 'output' : 'input' })
  if (problem !== undefined) return { ok: false, reason: formatProblem(problem) }
  return { ok: true, field: json.value as Field }
}

function ofAgent(
  agentId: number,
  declaration: Declaration,
  question: CapabilityQuestion,
  field: Field | undefined,
): readonly FittingCapability[] {
  const declared = Object.entries(declaration.capabilities).slice(0, MOST_CAPABILITIES)
  const ranked = declared.map(([capability, { description }], ordinal) => ({
    capability,
    ordinal,
    wordRank: rankWords(question.words ?? [], declaration, `${capability}\n${description}`),
  }))
  const hasOwnWords = ranked.some(({ wordRank }) => wordRank < ELSEWHERE)
  return ranked.flatMap(one => {
    const [, capability] = declared[one.ordinal] ?? []
    if (capability === undefined || (hasOwnWords && one.wordRank === ELSEWHERE)) return []
    if (!isWithin(capability, question.maxPriceAtomic)) return []
    const fits = question.fit && field ? fitPorts(capability, question.fit.side, field) : []
    return field !== undefined && fits.length === 0 ? [] : [{ agentId, ...one, fits }]
  })
}

const ELSEWHERE = 2

/** The last word may be a prefix. */
function rankWords(words: readonly string[], agent: Declaration, said: string): number {
  if (words.length === 0) return 0
  const [name = ''] = said.split('\n', 1)
  const has = (text: string): boolean => {
    const known = wordsOf(text, MOST_WORDS)
    return words.every((word, index) =>
      index === words.length - 1 ? known.some(one => one.startsWith(word)) : known.includes(word),
    )
  }
  if (has(`${agent.name}\n${name}`)) return 0
  return has(`${agent.name}\n${said}\n`) ? 1 : ELSEWHERE
}

function isWithin({ pricing }: Capability, maxPriceAtomic: bigint | undefined): boolean {
  if (maxPriceAtomic === undefined) return true
  const price = readUsdc(pricing.amount)
  return price.ok && price.atomic <= maxPriceAtomic
}

function fitPorts(capability: Capability, side: 'input' | 'output', field: Field): readonly PortFit[] {
  const ports: FieldMap = side === 'input' ? capability.input_schema : capability.output_schema
  return Object.entries(ports)
    .slice(0, MOST_PORTS)
    .flatMap(([port, own]): PortFit[] => {
      const { grade, reason } = side === 'input' ? compatible(field, own) : compatible(own, field)
      return grade === 'impossible' ? [] : [{ port, grade, reason }]
    })
    .toSorted(
      (one, other) =>
        GRADES.indexOf(one.grade) - GRADES.indexOf(other.grade) ||
        Number(ports[other.port]?.required ?? false) - Number(ports[one.port]?.required ?? false),
    )
}
