import { compatible, type Grade } from '@farebox/protocol/compatibility/compatible'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { checkFields } from '@farebox/protocol/field-rules/check-fields'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import { readUsdc } from '@farebox/protocol/money/usdc'
import { formatProblem } from '@farebox/protocol/problems/problem'
import type { Clock } from '@farebox/protocol/time/clock'
import { wordsOf } from '../../words.ts'
import { readStorableJson } from '../read-json.ts'

/** What is asked of capabilities. */
export interface CapabilityQuestion {
  /** Of an agent that speaks of these words, the capabilities that do so themselves, where there are any. */
  readonly words?: readonly string[]
  readonly maxPriceAtomic?: bigint
  /** A side of the capability must have a field that suits this one, which is JSON from outside. */
  readonly fit?: { readonly side: 'input' | 'output'; readonly field: string }
}

/** An agent's declaration, as it is kept: JSON that was checked when it was read. */
export interface KeptDeclaration {
  readonly agentId: number
  readonly declaration: string
}

/** A port that fits, and how well. */
export interface PortFit {
  readonly port: string
  readonly grade: Exclude<Grade, 'impossible'>
  readonly reason: string
}

/** A capability that is what was asked for. */
export interface FittingCapability {
  readonly agentId: number
  readonly capability: string
  /** Its place in its declaration. */
  readonly ordinal: number
  /** Where the words are: 0 in the names of agent and capability, 1 in what is said of them, 2 elsewhere. */
  readonly wordRank: number
  /** The best first, among equals what has to be given; empty where nothing had to fit. */
  readonly fits: readonly PortFit[]
}

/** Capabilities that fit, of the first so many agents, or what is wrong with the field asked about. */
export type FoundFitting =
  | { readonly ok: true; readonly found: readonly FittingCapability[]; readonly examined: number }
  | { readonly ok: false; readonly reason: string }

/** As search knows them: what comes later in a declaration is not offered. */
const MOST_CAPABILITIES = 64
const MOST_PORTS = 64
const MOST_WORDS = 256

/** The best first. */
export const GRADES = ['same', 'safe', 'lossy'] as const

/**
 * Finds the capabilities of these agents that are what was asked for, in the agents' order.
 *
 * @param timeMs after so long no further agent is begun with: patterns can be made to be slow
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
    // What was checked when it was listed is what is read here.
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
  // It is of the other side: an output that is to feed an input, or the reverse.
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

/** The last word may be the beginning of one. */
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
