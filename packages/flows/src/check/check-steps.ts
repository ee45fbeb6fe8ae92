import { FLOW_OUTPUT, type Flow, type Step } from '../document/flow.ts'
import { freeOutput } from '../document/free-name.ts'
import { MAX_ADAPTER_PORTS, MAX_JOBS, MAX_MAPPED_ITEMS } from '../document/flow-limits.ts'
import type { Graph } from '../graph/graph.ts'
import { hasValue } from '../document/has-value.ts'
import { namesOfTemplate, parseTemplate } from '../adapters/template-text.ts'
import { find, type LazyFinding, type Repair } from './finding.ts'
import { nameStep } from '../document/name-step.ts'

/** Errors of single steps, regardless of their wires, and of the order of the steps. */
export function checkSteps(graph: Graph): LazyFinding[] {
  const { flow } = graph
  const steps = Object.entries(flow.steps)
  const findings = steps.flatMap(([id, step]) => [
    ...checkStep(id, step),
    ...checkSecrets(graph, id, step),
    ...checkAfter(graph, id, step),
  ])
  if (steps.length === 0)
    findings.push(
      find('error', 'empty', {}, 'The flow has no steps yet. Add an agent or start from a template.'),
    )
  if (graph.circular.length > 0) findings.push(findCircle(graph))
  const jobs = steps.reduce((sum, [, step]) => sum + (step.kind === 'job' ? (step.map?.most ?? 1) : 0), 0)
  if (jobs > MAX_JOBS)
    findings.push(
      find('error', 'jobs', {}, `A run can order up to ${MAX_JOBS} jobs; this flow can reach ${jobs}.`),
    )
  return [...findings, ...checkUnused(graph)]
}

function checkStep(id: string, step: Step): LazyFinding[] {
  const wrong = (message: string): LazyFinding[] => [find('error', 'settings', { step: id }, message)]
  switch (step.kind) {
    case 'template': {
      const parsed = parseTemplate(step.text)
      if (!parsed.ok) return wrong(`The template ${parsed.reason}.`)
      const names = namesOfTemplate(step.text).length
      return names > MAX_ADAPTER_PORTS
        ? wrong(`The template has ${names} inputs; the limit is ${MAX_ADAPTER_PORTS}.`)
        : []
    }
    case 'rename': {
      const twice = findTwice(Object.values(step.names))
      return twice === undefined ? [] : wrong(`Two properties would have the name “${twice}”.`)
    }
    case 'constant':
    case 'default':
      return step.value === null && step.secret?.includes('value') === true
        ? wrong('Its value was left out when the flow was shared or exported. Enter a value.')
        : []
    case 'pick':
      return step.path.length === 0 ? wrong('Choose which property or item to take.') : []
    case 'job':
      if (step.map !== undefined && !Object.hasOwn(step.pinned.input_schema, step.map.port))
        return wrong(`No input “${step.map.port}” exists for the items of the list.`)
      return step.map !== undefined && step.map.most > MAX_MAPPED_ITEMS
        ? wrong(`The limit is ${MAX_MAPPED_ITEMS} items, got ${step.map.most}.`)
        : []
    default:
      return []
  }
}

/** Findings about secret marks without effect: on settings other than constants, and on inputs that do not exist. */
function checkSecrets(graph: Graph, id: string, step: Step): LazyFinding[] {
  const { secret = [], constants = {} } = step
  const inputs = new Set(graph.inputsOf(id).map(({ name }) => name))
  const canBeLeftOut = (port: string): boolean => {
    if (Object.hasOwn(constants, port) || (hasValue(step) && port === 'value')) return true
    // For a branch, the value that its condition compares with may be intended.
    return inputs.has(port) && (step.kind !== 'branch' || step.condition.is === 'there')
  }
  return secret
    .filter(port => !canBeLeftOut(port))
    .map(port => {
      const to = { step: id, port }
      return find(
        'error',
        'secret',
        to,
        `“${port}” is marked as secret but is not a value that is left out when the flow is shared.`,
        () => [{ label: 'Remove the mark', edits: [{ edit: 'mark-secret', to, secret: false }] }],
      )
    })
}

/** The first name that occurs a second time. */
function findTwice(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find(name => seen.size === seen.add(name).size)
}

function checkAfter(graph: Graph, id: string, step: Step): LazyFinding[] {
  return (step.after ?? [])
    .filter(({ step: source, port }) => !graph.outputsOf(source).some(({ name }) => name === port))
    .map(source =>
      find(
        'error',
        `after ${source.step} ${source.port}`,
        { step: id },
        `It waits for “${source.port}” of ${nameStep(graph.flow, source.step)}, which does not exist.`,
        () => [
          {
            label: 'Do not wait for it',
            edits: [
              {
                edit: 'replace-step',
                id,
                step: { ...step, after: (step.after ?? []).filter(one => one !== source) },
              },
            ],
          },
        ],
      ),
    )
}

function findCircle({ flow, circular }: Graph): LazyFinding {
  const [first = ''] = circular
  const names = circular.slice(0, 5).map(id => nameStep(flow, id))
  return find(
    'error',
    'circle',
    { step: first },
    `These steps wait for each other in a circle: ${names.join(', ')}${circular.length > 5 ? ', …' : ''}.`,
    () =>
      flow.wires
        .filter(({ from, to }) => circular.includes(from.step) && circular.includes(to.step))
        .slice(-1)
        .map(({ from, to }) => ({
          label: `Remove the wire from ${nameStep(flow, from.step)} to ${nameStep(flow, to.step)}`,
          edits: [{ edit: 'disconnect', to } as const],
        })),
  )
}

/** Findings about paid steps whose outputs are not used, and about steps that delay the run without effect. */
function checkUnused({ flow }: Graph): LazyFinding[] {
  const used = new Set(flow.wires.map(({ from }) => from.step))
  for (const { after } of Object.values(flow.steps)) for (const { step } of after ?? []) used.add(step)
  const unused = Object.entries(flow.steps).filter(([id]) => !used.has(id))
  return [...findPaidForNothing(flow, unused), ...findIdle(unused)]
}

function findIdle(unused: readonly (readonly [string, Step])[]): LazyFinding[] {
  return unused
    .filter(([, { kind }]) => kind === 'approval' || kind === 'wait')
    .map(([id, { kind }]) => {
      const words =
        kind === 'approval' ? 'No step waits for this approval.' : 'No step comes after this wait.'
      return find('warning', 'idle', { step: id }, words)
    })
}

function findPaidForNothing(flow: Flow, unused: readonly (readonly [string, Step])[]): LazyFinding[] {
  return unused
    .filter(([, step]) => step.kind === 'job')
    .map(([id, step]) => {
      const [port] = step.kind === 'job' ? Object.keys(step.pinned.output_schema) : []
      const name = port === undefined ? undefined : freeOutput(flow, { step: id, port })
      const repairs: Repair[] =
        port === undefined || name === undefined
          ? []
          : [
              {
                label: `Make “${port}” an output of the flow`,
                edits: [
                  { edit: 'add-output', name },
                  { edit: 'connect', from: { step: id, port }, to: { step: FLOW_OUTPUT, port: name } },
                ],
              },
            ]
      return find(
        'warning',
        'unused',
        { step: id },
        'You pay for it, but no step or output uses it.',
        () => repairs,
      )
    })
}
