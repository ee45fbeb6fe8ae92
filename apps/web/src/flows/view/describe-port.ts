import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { nameStep } from '@farebox/flows/internal/document/name-step'
import { showValue } from './show-value.ts'
import type { PortView } from './views.ts'

/**
 * A full description of a port for screen readers: `text, string, required, input of Summary, fed by flow input
 * article`.
 */
export function describePort(
  graph: Graph,
  id: string,
  port: Omit<PortView, 'words'>,
  targets: readonly PortRef[],
): string {
  const { side, name, type, required, state, feed } = port
  const type_ = type === 'any' ? 'any type' : type
  const whose =
    id === FLOW_INPUT
      ? 'flow input'
      : id === FLOW_OUTPUT
        ? 'flow output'
        : `${side === 'in' ? 'input' : 'output'} of ${nameStep(graph.flow, id)}`
  const parts = [
    name,
    type_,
    side === 'in' && required && id !== FLOW_OUTPUT ? 'required' : '',
    side === 'out' && !required ? 'not always present' : '',
    whose,
    state === 'gone' ? 'no longer there' : state === 'new' ? 'new' : '',
    feed === undefined ? describeTargets(graph, targets) : describeFeed(feed),
  ]
  return parts.filter(part => part !== '').join(', ')
}

function describeFeed(feed: NonNullable<PortView['feed']>): string {
  switch (feed.by) {
    case 'wire':
      return `fed by ${feed.words}${GRADES[feed.grade]}`
    case 'value':
      return `always ${showValue(feed.value)}`
    case 'nothing':
      return feed.standard === undefined ? 'no source' : `no source, ${showValue(feed.standard)} by default`
  }
}

const GRADES = {
  same: '',
  safe: ', converted automatically',
  lossy: ', may be rejected',
  impossible: ', not compatible',
  broken: ', broken',
} as const

function describeTargets(graph: Graph, targets: readonly PortRef[]): string {
  const [first] = targets
  if (first === undefined) return 'not connected'
  const words =
    first.step === FLOW_OUTPUT
      ? `flow output ${first.port}`
      : `${first.port} of ${nameStep(graph.flow, first.step)}`
  return targets.length === 1 ? `feeds ${words}` : `feeds ${words} and ${targets.length - 1} more`
}
