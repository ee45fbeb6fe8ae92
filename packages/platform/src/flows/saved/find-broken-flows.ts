import { readUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { KnownCapability } from '../../checking/check-flow.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { readCapabilities } from '../read-catalog.ts'
import { refuseBusy } from '../refuse-busy.ts'

/** Limits of one check: agents declare at most 256 KB each, flows have up to a million characters. */
const MOST_AGENTS = 200
const MOST_BYTES = 8_000_000

/** The flows that cannot be run any more. */
export interface BrokenFlows {
  /** The number of flows that were checked, from the first on; fewer than requested when a limit was reached. */
  readonly looked: number
  /** The ids of the broken flows. */
  readonly broken: ReadonlySet<string>
}

/**
 * Finds flows that can no longer be run because a capability they order has gone or changed. An unfinished flow is not
 * broken. Only flows whose capabilities differ from their pinned state are checked.
 *
 * @throws {Refusal} `unavailable` when too many checks are running
 */
export async function findBrokenFlows(
  { database, checker }: Pick<PlatformParts, 'database' | 'checker'>,
  flowIds: readonly string[],
  owner: string,
): Promise<BrokenFlows> {
  const orders = await readOrders(database, flowIds)
  const whole = fittingTogether(flowIds, orders)
  const known = await readKnown(database, whole, orders)
  const states = whole.map(flowId => [flowId, stateOf(orders.get(flowId)?.orders ?? [], known)] as const)
  let bytes = 0
  const looked = states.findIndex(([flowId, state]) => {
    bytes += state === 'changed' ? (orders.get(flowId)?.bytes ?? 0) : 0
    return bytes > MOST_BYTES
  })
  const shown = looked === -1 ? states : states.slice(0, Math.max(1, looked))
  const changed = shown.flatMap(([flowId, state]) => (state === 'changed' ? [flowId] : []))
  const broken = shown.flatMap(([flowId, state]) => (state === 'broken' ? [flowId] : []))
  if (changed.length > 0) {
    const documents = await readDocuments(database, changed)
    const given = {
      documents: documents.map(({ document }) => document),
      capabilities: [...known.values()],
    }
    const places = await checker.run('broken-flows', given, `flows of ${owner}`).catch(refuseBusy)
    broken.push(...places.flatMap(place => documents[place]?.flow_id ?? []))
  }
  return { looked: shown.length, broken: new Set(broken) }
}

interface OrderColumns {
  readonly flow_id: string
  readonly bytes: number
  /** Null when the flow orders nothing. */
  readonly agent_id: string | null
  readonly capability: string
  readonly hash: string | null
  readonly price_atomic: string
}

interface FlowOrders {
  readonly bytes: number
  readonly orders: readonly OrderColumns[]
}

async function readOrders(
  database: Database,
  flowIds: readonly string[],
): Promise<ReadonlyMap<string, FlowOrders>> {
  const rows = await database.query<OrderColumns>(
    'read-flow-orders',
    `select flows.flow_id, flow_versions.bytes, agent_id, capability, hash, flow_capabilities.price_atomic
     from flows join flow_versions using (flow_id, version) left join flow_capabilities using (flow_id)
     where flows.flow_id = any($1::uuid[])`,
    [flowIds],
  )
  const byFlow = new Map<string, { bytes: number; orders: OrderColumns[] }>()
  for (const row of rows) {
    const flow = byFlow.get(row.flow_id) ?? { bytes: row.bytes, orders: [] }
    if (row.agent_id !== null) flow.orders.push(row)
    byFlow.set(row.flow_id, flow)
  }
  return byFlow
}

/** The first flows whose agents together stay within the limit; at least one flow. */
function fittingTogether(
  flowIds: readonly string[],
  orders: ReadonlyMap<string, FlowOrders>,
): readonly string[] {
  const agents = new Set<string>()
  const tooMany = flowIds.findIndex(flowId => {
    for (const { agent_id } of orders.get(flowId)?.orders ?? []) agents.add(agent_id ?? '')
    return agents.size > MOST_AGENTS
  })
  return tooMany === -1 ? flowIds : flowIds.slice(0, Math.max(1, tooMany))
}

type Known = ReadonlyMap<string, KnownCapability>

/** The current state of every capability that these flows order. */
async function readKnown(
  database: Database,
  flowIds: readonly string[],
  orders: ReadonlyMap<string, FlowOrders>,
): Promise<Known> {
  const pairs = new Map<string, { readonly agentId: number; readonly capability: string }>()
  for (const flowId of flowIds)
    for (const order of orders.get(flowId)?.orders ?? [])
      pairs.set(keyOf(order), { agentId: Number(order.agent_id), capability: order.capability })
  const known = await readCapabilities(database, [...pairs.values()])
  return new Map(known.map(one => [`${one.agentId} ${one.capability}`, one]))
}

/** `same`: all ordered capabilities match their pinned terms; `changed`: a check is needed to decide. */
function stateOf(orders: readonly OrderColumns[], known: Known): 'same' | 'changed' | 'broken' {
  let isChanged = false
  for (const order of orders) {
    const current = known.get(keyOf(order))?.current
    if (current === null || current === undefined || current.state === 'closed') return 'broken'
    const price = readUsdc(current.price)
    if (!price.ok || price.atomic > BigInt(order.price_atomic)) return 'broken'
    if (current.hash !== order.hash) isChanged = true
  }
  return isChanged ? 'changed' : 'same'
}

function keyOf({ agent_id, capability }: OrderColumns): string {
  return `${agent_id} ${capability}`
}

async function readDocuments(
  database: Database,
  flowIds: readonly string[],
): Promise<readonly { readonly flow_id: string; readonly document: string }[]> {
  return await database.query(
    'read-flow-documents',
    `select flow_id, document::text as document from flows join flow_versions using (flow_id, version)
     where flow_id = any($1::uuid[])`,
    [flowIds],
  )
}
