import type { Field } from '@farebox/protocol/fields/field'
import type { Step } from '../document/flow.ts'
import { namesOfTemplate } from '../adapters/template-text.ts'
import { fieldOf, type PortType } from './field-of.ts'

/** An input of a step. */
export interface InputPort {
  readonly name: string
  readonly type: PortType
  readonly required: boolean
}

/** An output of a step. */
export interface OutputPort {
  readonly name: string
  readonly type: PortType
  /** Does it have a value whenever the step is done? False for optional outputs and for the two ways of a branch. */
  readonly always: boolean
}

/** Both sides of a step, in declared order. */
export interface Ports {
  readonly inputs: readonly InputPort[]
  readonly outputs: readonly OutputPort[]
}

/** The type of the values at an input of the step; undefined when the input has no source. */
export type Incoming = (port: string) => PortType | undefined

const TEXT: Field = { type: 'string' }

/** The ports of one step, given the types of its inputs: an adapter passes on the type of its input. */
export function portsOf(step: Step, incoming: Incoming): Ports {
  switch (step.kind) {
    case 'job':
      return portsOfJob(step)
    case 'constant':
      return { inputs: [], outputs: [always('value', fieldOf(step.value))] }
    case 'default': {
      const value = incoming('value') ?? 'any'
      const instead = fieldOf(step.value)
      const type = value !== 'any' && instead !== 'any' && value.type === instead.type ? widen(value) : 'any'
      return { inputs: [optional('value')], outputs: [always('value', type)] }
    }
    case 'first': {
      const names = Array.from({ length: step.count }, (_, index) => String(index + 1))
      const types = names.map(incoming).filter(type => type !== undefined)
      return { inputs: names.map(optional), outputs: [always('value', common(types))] }
    }
    case 'rename': {
      const type = renamed(incoming('object') ?? 'any', step.names)
      return { inputs: [required('object', { type: 'object' })], outputs: [always('object', type)] }
    }
    case 'pick': {
      const type = step.gives ?? typeAt(incoming('value') ?? 'any', step.path)
      return { inputs: [required('value', 'any')], outputs: [always('value', type)] }
    }
    case 'template':
      return {
        inputs: namesOfTemplate(step.text).map(name => required(name, TEXT)),
        outputs: [always('text', TEXT)],
      }
    case 'to-number':
      return { inputs: [required('text', TEXT)], outputs: [always('number', { type: 'number' })] }
    case 'join':
      return {
        inputs: [required('list', { type: 'array', items: TEXT })],
        outputs: [always('text', TEXT)],
      }
    case 'split':
      return {
        inputs: [required('text', TEXT)],
        outputs: [always('list', { type: 'array', items: TEXT, minItems: 1, maxItems: step.most })],
      }
    case 'branch':
      return passing('value', ['then', 'else'], incoming)
    case 'approval':
      return passing('value', ['approved', 'declined'], incoming)
    case 'wait': {
      const { inputs, outputs } = passing('value', ['value'], incoming)
      const until =
        step.seconds === undefined ? [required('until', { type: 'string', format: 'date-time' })] : []
      return { inputs: [...inputs, ...until], outputs: outputs.map(port => ({ ...port, always: true })) }
    }
  }
}

function portsOfJob(step: Extract<Step, { kind: 'job' }>): Ports {
  const { input_schema: takes, output_schema: gives } = step.pinned
  const { map } = step
  const listOf = (items: Field): Field =>
    map === undefined ? items : { type: 'array', items, maxItems: map.most }
  return {
    inputs: Object.entries(takes).map(([name, field]) => ({
      name,
      type: map?.port === name ? listOf(field) : field,
      required: field.required === true,
    })),
    // Items without an optional output are left out of the list, so the list has no holes.
    outputs: Object.entries(gives).map(([name, field]) => ({
      name,
      type: listOf(field),
      always: map !== undefined || field.required !== false,
    })),
  }
}

/** Passes a value of any type on. The value may be absent: the step then only affects the order. */
function passing(port: string, ways: readonly string[], incoming: Incoming): Ports {
  const type = incoming(port) ?? 'any'
  return {
    inputs: [optional(port)],
    outputs: ways.map(name => ({ name, type, always: false })),
  }
}

/** The common type of all: if they have one type, without the properties that only some of them have. */
function common(types: readonly PortType[]): PortType {
  const [first, ...rest] = types
  if (first === undefined || first === 'any') return 'any'
  if (rest.length === 0) return first
  return rest.every(type => type !== 'any' && type.type === first.type) ? widen(first) : 'any'
}

/** Only the type: the value may be replaced by another one of this type. */
function widen({ type }: Field): Field {
  return { type }
}

function renamed(type: PortType, names: { readonly [name: string]: string }): Field {
  if (type === 'any' || type.properties === undefined) return { type: 'object' }
  const properties = Object.entries(type.properties).map(([name, field]) => [
    Object.hasOwn(names, name) ? (names[name] ?? name) : name,
    field,
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** The type at a path, as far as the schemas declare it. */
function typeAt(type: PortType, path: readonly (string | number)[]): PortType {
  let found: PortType = type
  for (const part of path) {
    if (found === 'any') return 'any'
    const { items, properties }: Field = found
    if (typeof part === 'number') found = items ?? 'any'
    else
      found =
        properties !== undefined && Object.hasOwn(properties, part) ? (properties[part] ?? 'any') : 'any'
  }
  return found
}

function required(name: string, type: PortType): InputPort {
  return { name, type, required: true }
}

function optional(name: string): InputPort {
  return { name, type: 'any', required: false }
}

function always(name: string, type: PortType): OutputPort {
  return { name, type, always: true }
}
