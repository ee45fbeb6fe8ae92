import type { Flow, PortRef } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { Catalog } from '@farebox/flows/internal/check/catalog'
import type { KnownCapability } from '../check-flow.ts'
import { catalogOf, findBreaks, type Finding } from './find-breaks.ts'
import { withoutValues } from './without-values.ts'

/** Stored flows, and the capabilities of an agent before and after a change. */
export interface AgentChange {
  /** The flows as JSON. */
  readonly documents: readonly string[]
  readonly agentId: number
  readonly before: readonly KnownCapability[]
  readonly after: readonly KnownCapability[]
}

/** The effect of a change on the stored flows. */
export interface CountedBreaks {
  /** The number of flows that could be run before and no longer can. */
  readonly affected: number
  readonly broken: readonly BreakCount[]
}

/** One way in which a change breaks flows. */
export interface BreakCount {
  readonly capability: string
  readonly reason: string
  readonly flows: number
}

/**
 * Counts the flows that an agent's change breaks, by reason. The reasons reveal only what the agent sees of a flow anyway.
 * The values in the flows are removed first, because the caller could declare any schema to probe them.
 */
export function countBreaks({ documents, agentId, before, after }: AgentChange): CountedBreaks {
  const catalogs = [catalogOf(before), catalogOf(after)] as const
  const offers = { before: catalogs[0], after: catalogs[1] }
  const counts = new Map<string, BreakCount>()
  let affected = 0
  for (const document of documents) {
    const read = readFlow(JSON.parse(document))
    if (!read.ok) continue
    const flow = withoutValues(read.flow, offers)
    const breaks = findBreaks(flow, ...catalogs)
    if (breaks.length === 0) continue
    affected += 1
    const told = new Map(
      breaks.map(finding => {
        const one = explain(flow, finding, { agentId, catalogs })
        return [`${one.capability} ${one.reason}`, one] as const
      }),
    )
    for (const [key, one] of told) counts.set(key, { ...one, flows: (counts.get(key)?.flows ?? 0) + 1 })
  }
  return { affected, broken: [...counts.values()] }
}

interface Change {
  readonly agentId: number
  readonly catalogs: readonly [before: Catalog, after: Catalog]
}

function explain(flow: Flow, finding: Finding, change: Change): Omit<BreakCount, 'flows'> {
  const { step = '', port = '' } = finding
  const own = capabilityOf(flow, step, change.agentId)
  const reason = own && explainOwn(finding, own, change)
  if (own !== undefined && reason !== undefined) return { capability: own, reason }
  // Otherwise the cause is an output of the agent that is wired to this port, directly or through other steps.
  const [from] = flow.wires.flatMap(wire =>
    wire.to.step === step && wire.to.port === port ? [wire.from] : [],
  )
  const source = findSource(flow, from === undefined ? [{ step, port }] : [from], change.agentId)
  if (source === undefined) return { capability: anyCapabilityOf(flow, change.agentId), reason: OTHERWISE }
  const capability = capabilityOf(flow, source.step, change.agentId) ?? ''
  const isDirect = from?.step === source.step
  if (isDirect && gives(change.catalogs[1], change.agentId, capability, source.port) === false)
    return { capability, reason: `it gives no “${source.port}” any more` }
  return { capability, reason: 'what it gives does not fit any more where it is led' }
}

const OTHERWISE = 'they cannot be run as they are'

/** The reason by the finding's rule, which its id begins with; `undefined` when an input wired to the port is the cause. */
function explainOwn(
  { id, port = '' }: Finding,
  capability: string,
  { agentId, catalogs }: Change,
): string | undefined {
  const [before, after] = catalogs.map(catalog => catalog.find(agentId, capability))
  switch (id.split(' ', 1)[0]) {
    case 'gone':
      return 'it is not offered any more'
    case 'dearer':
      return `it costs ${after?.price ?? 'more'} USDC, ${before?.price ?? 'less'} before`
    case 'unfed':
      return `it requires “${port}”, which they do not give`
    case 'broken':
      return takes(after?.input_schema, port) ? undefined : `it takes no “${port}” any more`
    case 'impossible':
      return `what they give it as “${port}” never fits any more`
    default:
      return OTHERWISE
  }
}

function takes(schema: object | undefined, port: string): boolean {
  return schema !== undefined && Object.hasOwn(schema, port)
}

function gives(catalog: Catalog, agentId: number, capability: string, port: string): boolean | undefined {
  const current = catalog.find(agentId, capability)
  return current === null || current === undefined ? undefined : Object.hasOwn(current.output_schema, port)
}

/** The capability of this agent that a step orders; `undefined` when the step orders none. */
function capabilityOf(flow: Flow, id: string, agentId: number): string | undefined {
  const step = Object.hasOwn(flow.steps, id) ? flow.steps[id] : undefined
  return step?.kind === 'job' && step.agent_id === agentId ? step.capability : undefined
}

function anyCapabilityOf(flow: Flow, agentId: number): string {
  const ordered = Object.keys(flow.steps).flatMap(id => capabilityOf(flow, id, agentId) ?? [])
  return ordered[0] ?? ''
}

/** The nearest output of this agent that leads to one of the given ports, or `undefined`. */
function findSource(flow: Flow, ends: readonly PortRef[], agentId: number): PortRef | undefined {
  const seen = new Set<string>()
  const queue = [...ends]
  for (const end of queue) {
    if (capabilityOf(flow, end.step, agentId) !== undefined) return end
    if (seen.has(end.step)) continue
    seen.add(end.step)
    queue.push(...flow.wires.flatMap(({ from, to }) => (to.step === end.step ? [from] : [])))
  }
  return undefined
}
