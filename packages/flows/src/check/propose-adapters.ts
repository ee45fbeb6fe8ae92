import type { Field } from '@farebox/protocol/fields/field'
import type { AdapterStep } from '../document/flow.ts'
import type { PortType } from '../graph/field-of.ts'
import { portsOf } from '../graph/ports.ts'
import type { Guesses } from './inspection.ts'

/** An adapter that would make an output fit an input, and its ports for the wire. */
export interface ProposedAdapter {
  /** The text of a button: `Join its items to a text`. */
  readonly label: string
  readonly step: AdapterStep
  readonly takes: string
  readonly gives: string
}

/** Free adapters between two ports that do not fit, or only with a loss: those that improve the wire, best first. */
export function proposeAdapters(
  { gradeTypes, take }: Guesses,
  output: PortType,
  input: PortType,
): readonly ProposedAdapter[] {
  if (output === 'any' || input === 'any') return []
  const rank = (from: PortType, to: PortType): number => RANKS.indexOf(gradeTypes(from, to).grade)
  const before = rank(output, input)
  return candidates(output, input)
    .filter(() => take(STEPS_PER_ADAPTER))
    .map(proposed => {
      const { outputs } = portsOf(proposed.step, port => (port === proposed.takes ? output : undefined))
      const given = outputs.find(({ name }) => name === proposed.gives)?.type ?? 'any'
      const taken = portsOf(proposed.step, () => undefined).inputs.find(({ name }) => name === proposed.takes)
      return { proposed, rank: Math.max(rank(given, input), rank(output, taken?.type ?? 'any')) }
    })
    .filter(one => one.rank < before)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, 3)
    .map(({ proposed }) => proposed)
}

const RANKS = ['same', 'safe', 'lossy', 'impossible'] as const

/** The cost of computing its ports and comparing two types. */
const STEPS_PER_ADAPTER = 200

function candidates(output: Field, input: Field): readonly ProposedAdapter[] {
  const proposed: ProposedAdapter[] = []
  if (output.type === 'array' && input.type === 'string')
    proposed.push({
      label: 'Join its items, one per line',
      step: { kind: 'join', separator: '\n' },
      takes: 'list',
      gives: 'text',
    })
  if (output.type === 'string' && input.type === 'array')
    proposed.push({
      label: 'Split it at line breaks',
      step: { kind: 'split', separator: '\n', most: Math.min(input.maxItems ?? 100, 1_000) },
      takes: 'text',
      gives: 'list',
    })
  if (output.type === 'array') proposed.push(pick('Take its first item', [0]))
  if (output.type === 'object')
    for (const name of Object.keys(output.properties ?? {})) proposed.push(pick(`Take its “${name}”`, [name]))
  if (output.type === 'string' && (input.type === 'number' || input.type === 'integer'))
    proposed.push({
      label: 'Read it as a number',
      step: { kind: 'to-number' },
      takes: 'text',
      gives: 'number',
    })
  return proposed
}

function pick(label: string, path: readonly (string | number)[]): ProposedAdapter {
  return { label, step: { kind: 'pick', path }, takes: 'value', gives: 'value' }
}
