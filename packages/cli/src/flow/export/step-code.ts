import {
  type AdapterStep,
  type BranchStep,
  type Condition,
  FLOW_INPUT,
  type PortRef,
  type Step,
} from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { JsonValue } from '@farebox/protocol/fields/field'
import { propertyName, stringLiteral } from '../../types/source-text.ts'
import type { FlowNames } from './flow-names.ts'

export interface CodeParts {
  readonly graph: Graph
  readonly names: FlowNames
}

/** Returns the code for the value of an output; the value is `undefined` when its step was skipped. */
export function sourceCode({ graph, names }: CodeParts, { step: id, port }: PortRef): string {
  if (id === FLOW_INPUT) return `input${access(port)}`
  const step = graph.flow.steps[id]
  const name = names.step(id)
  const chain = graph.mayBeSkipped(id) ? '?.' : '.'
  if (step?.kind === 'branch') return `${name}${chain}${port}`
  if (step?.kind !== 'job') return name
  return step.map === undefined
    ? `${name}${chain}output[${stringLiteral(port)}]`
    : `${name}${chain}map(one => one.output[${stringLiteral(port)}] ?? null)`
}

/** Returns the code for the value of a step's input, or `undefined` when the input has no value. */
export function portCode(parts: CodeParts, id: string, port: string): string | undefined {
  const wire = parts.graph.wireTo({ step: id, port })
  if (wire !== undefined) return sourceCode(parts, wire.from)
  const step = parts.graph.flow.steps[id]
  if (step?.secret?.includes(port) === true) return secretCode(parts, id, port)
  const constant = step?.constants?.[port]
  return constant === undefined ? undefined : literal(constant)
}

function secretCode({ names }: CodeParts, id: string, port: string): string {
  return `secret(${stringLiteral(names.secretVariable(id, port))})`
}

/** Returns the code for the condition of a step, or `undefined` when the step always runs. */
export function conditionCode(parts: CodeParts, id: string): string | undefined {
  const { graph } = parts
  const step = graph.flow.steps[id]
  if (step === undefined || !graph.mayBeSkipped(id)) return undefined
  const wired = step.kind === 'first' || step.kind === 'default' ? [] : graph.wiredTo(id)
  const sources = [...wired, ...(step.after ?? [])].filter(source => mayBeOut(graph, source))
  const conditions = sources.map(source => `${isThere(parts, source)} !== undefined`)
  return conditions.length === 0 ? undefined : [...new Set(conditions)].join(' && ')
}

function mayBeOut(graph: Graph, { step }: PortRef): boolean {
  return step !== FLOW_INPUT && (graph.mayBeSkipped(step) || graph.flow.steps[step]?.kind === 'branch')
}

/**
 * Returns the code that tests whether a source exists. An output may be absent although its step ran: then the step is
 * tested, or the taken path of a branch.
 */
function isThere(parts: CodeParts, source: PortRef): string {
  const isBranch = parts.graph.flow.steps[source.step]?.kind === 'branch'
  return isBranch ? sourceCode(parts, source) : parts.names.step(source.step)
}

export function adapterCode(parts: CodeParts, id: string, step: AdapterStep | BranchStep): string {
  const port = (name: string): string => portCode(parts, id, name) ?? 'undefined'
  switch (step.kind) {
    case 'constant':
      return step.secret?.includes('value') === true ? secretCode(parts, id, 'value') : literal(step.value)
    case 'default':
      return `${port('value')} ?? ${literal(step.value)}`
    case 'first':
      return `first(${Array.from({ length: step.count }, (_, at) => port(String(at + 1))).join(', ')})`
    case 'rename':
      return `rename(${port('object')}, ${literal({ ...step.names })})`
    case 'pick':
      return `pick(${port('value')}, ${literal([...step.path])})`
    case 'template':
      return templateCode(step.text, port)
    case 'to-number':
      return `toNumber(${port('text')})`
    case 'join':
      return `listOf(${port('list')}, 100_000).map(text).join(${stringLiteral(step.separator)})`
    case 'split':
      return `listOf(text(${port('text')}).split(${stringLiteral(step.separator)}), ${step.most})`
    case 'branch': {
      const value = port('value')
      const asked = questionCode(step.condition, value)
      return `${asked} ? { then: ${value}, else: undefined } : { then: undefined, else: ${value} }`
    }
  }
}

/** Converts a template: `Hello {name}` → `` `Hello ${text(…)}` ``; invisible characters are escaped, except line ends. */
function templateCode(template: string, port: (name: string) => string): string {
  const special = /\{\{|\}\}|\{([^{}]*)\}|[`\\]|\$(?=\{)|[^\n -~]/gu
  const inner = template.replaceAll(special, (found, name?: string) => {
    if (name !== undefined) return `\${text(${port(name)})}`
    if (found === '{{' || found === '}}') return found.charAt(0)
    return /[`\\$]/.test(found) ? `\\${found}` : stringLiteral(found).slice(1, -1)
  })
  return `\`${inner}\``
}

const COMPARISONS = { 'less-than': '<', 'at-most': '<=', 'greater-than': '>', 'at-least': '>=' } as const

function questionCode(condition: Condition, value: string): string {
  switch (condition.is) {
    case 'there':
      return `${value} !== undefined && ${value} !== null`
    case 'equal-to':
      return `equals(${value}, ${literal(condition.value)})`
    case 'containing':
      return `contains(${value}, ${literal(condition.value)})`
    default:
      return `typeof ${value} === 'number' && ${value} ${COMPARISONS[condition.is]} ${condition.value}`
  }
}

/** Formats JSON as code with conventional string literals. */
function literal(value: JsonValue): string {
  if (typeof value === 'string') return stringLiteral(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  const entries = Object.entries(value).map(([name, item]) => `${propertyName(name)}: ${literal(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** Returns false for steps that need a person or a service outside a job. */
export function isExportable(step: Step): boolean {
  return step.kind !== 'approval' && step.kind !== 'wait'
}

function access(port: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(port) ? `.${port}` : `[${stringLiteral(port)}]`
}
