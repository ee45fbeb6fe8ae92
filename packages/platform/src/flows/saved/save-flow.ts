import { randomUUID } from 'node:crypto'
import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
import type { KeptFlow, KeptOrder } from '../../checking/flows/read-kept-flow.ts'
import { Refusal } from '../../http/refusal.ts'
import { FLOW_COLUMNS, toSavedFlow, type FlowColumns } from './flow-row.ts'
import { noFlow } from './read-own-flow.ts'
import { checkBytes, lockSaves } from './save-bounds.ts'

/** The session that saves a flow, and the time. */
export interface Saver {
  /** The owner's lower-case address. */
  readonly address: string
  readonly sessionId: string
  /** The network address of the request, in the form used for counting. */
  readonly from: string
  readonly nowMs: number
}

const MOST_FLOWS = 500
const MOST_VERSIONS = 100
/** The limit for all versions of one flow; the newest version is always kept. */
const MOST_VERSION_BYTES = 16 * 1_048_576
/** Saves within this time belong to one version. */
const VERSION_MS = 600_000

/**
 * Stores a new flow.
 *
 * @throws {Refusal} `conflict` when the owner has the maximum number of flows, `rate_limited` when a size limit is exceeded
 */
export async function createFlow(database: Database, flow: KeptFlow, saver: Saver): Promise<SavedFlow> {
  return await database.inTransaction(async client => {
    const savedFrom = await lockSaves(client, saver)
    const { rows: owned } = await client.query<{ flows: number }>(
      'select count(*)::int as flows from flows where owner = $1',
      [saver.address],
    )
    if ((owned[0]?.flows ?? 0) >= MOST_FLOWS)
      throw new Refusal('conflict', `flow: ${MOST_FLOWS} are kept for you already: delete some`)
    const flowId = randomUUID()
    await client.query(INSERT_FLOW, [
      flowId,
      saver.address,
      flow.name,
      flow.jobs,
      flow.priceAtomic,
      savedFrom,
      saver.sessionId,
      new Date(saver.nowMs),
    ])
    await writeVersion(client, flowId, { version: 1, flow, nowMs: saver.nowMs })
    await checkBytes(client, { flowId, owner: saver.address, savedFrom })
    return await readSaved(client, flowId)
  })
}

/**
 * Saves a changed flow. A save within ten minutes of the first save of a version replaces that version.
 *
 * @throws {Refusal} `not_found`; `conflict` when another save came in between, with its session and time; `rate_limited`
 */
export async function updateFlow(
  database: Database,
  { flowId, revision }: { readonly flowId: string; readonly revision: number },
  flow: KeptFlow,
  saver: Saver,
): Promise<SavedFlow> {
  return await database.inTransaction(async client => {
    const savedFrom = await lockSaves(client, saver)
    const { rows } = await client.query<KnownColumns>(LOCK_FLOW, [flowId, saver.address])
    const [known] = rows
    if (known === undefined) throw noFlow()
    if (known.revision !== revision) throw conflictWith(known, saver)
    const isSameVersion = saver.nowMs - known.began_at.getTime() < VERSION_MS
    const version = isSameVersion ? known.version : known.version + 1
    await client.query(UPDATE_FLOW, [
      flowId,
      version,
      flow.name,
      flow.jobs,
      flow.priceAtomic,
      savedFrom,
      saver.sessionId,
      new Date(saver.nowMs),
    ])
    await writeVersion(client, flowId, { version, flow, nowMs: saver.nowMs })
    await checkBytes(client, { flowId, owner: saver.address, savedFrom })
    return await readSaved(client, flowId)
  })
}

interface KnownColumns {
  readonly revision: number
  readonly version: number
  readonly changed_at: Date
  readonly saved_by: string
  readonly began_at: Date
}

const INSERT_FLOW = `
  insert into flows (flow_id, owner, name, jobs, price_atomic, bytes, saved_from, saved_by, created_at, changed_at)
  values ($1, $2, $3, $4, $5, 0, $6, $7, $8, $8)`

const LOCK_FLOW = `
  select flows.revision, flows.version, flows.changed_at, flows.saved_by, flow_versions.began_at
  from flows join flow_versions using (flow_id, version)
  where flow_id = $1 and owner = $2 for update of flows`

const UPDATE_FLOW = `
  update flows set revision = revision + 1, version = $2, name = $3, jobs = $4, price_atomic = $5, saved_from = $6,
    saved_by = $7, changed_at = $8
  where flow_id = $1`

function conflictWith({ revision, changed_at, saved_by }: KnownColumns, { sessionId }: Saver): Refusal {
  const by = saved_by === sessionId ? 'this session' : 'another session'
  return new Refusal(
    'conflict',
    `revision: ${by} saved revision ${revision} at ${changed_at.toISOString()}, after what was changed here`,
    { details: { revision, changed_at: changed_at.getTime() / 1_000, changed_by: by } },
  )
}

async function writeVersion(
  client: pg.PoolClient,
  flowId: string,
  { version, flow, nowMs }: { readonly version: number; readonly flow: KeptFlow; readonly nowMs: number },
): Promise<void> {
  await client.query(
    `insert into flow_versions (flow_id, version, began_at, saved_at, name, document, bytes)
     values ($1, $2, $3, $3, $4, $5, $6)
     on conflict (flow_id, version) do update
       set saved_at = excluded.saved_at, name = excluded.name, document = excluded.document, bytes = excluded.bytes`,
    [flowId, version, new Date(nowMs), flow.name, flow.document, Buffer.byteLength(flow.document)],
  )
  await client.query(DELETE_OLD_VERSIONS, [flowId, version, MOST_VERSIONS, MOST_VERSION_BYTES])
  await writeOrders(client, flowId, flow.orders)
}

const DELETE_OLD_VERSIONS = `
  delete from flow_versions using (
    select version, sum(bytes) over (order by version desc) as newer_bytes from flow_versions where flow_id = $1
  ) as kept
  where flow_versions.flow_id = $1 and flow_versions.version = kept.version and kept.version < $2
    and (kept.version <= $2 - $3 or newer_bytes > $4)`

/** Stores the ordered capabilities, through which the flows affected by a changed agent are found. */
async function writeOrders(
  client: pg.PoolClient,
  flowId: string,
  orders: readonly KeptOrder[],
): Promise<void> {
  await client.query('delete from flow_capabilities where flow_id = $1', [flowId])
  await client.query(
    `insert into flow_capabilities (flow_id, agent_id, capability, hash, price_atomic)
     select $1, agent_id, capability, hash, price_atomic
     from unnest($2::bigint[], $3::text[], $4::text[], $5::numeric[]) as given (agent_id, capability, hash, price_atomic)`,
    [
      flowId,
      orders.map(({ agentId }) => agentId),
      orders.map(({ capability }) => capability),
      orders.map(({ hash }) => hash),
      orders.map(({ priceAtomic }) => priceAtomic),
    ],
  )
}

async function readSaved(client: pg.PoolClient, flowId: string): Promise<SavedFlow> {
  const { rows } = await client.query<FlowColumns>(
    `select ${FLOW_COLUMNS} from flows join flow_versions using (flow_id, version) where flow_id = $1`,
    [flowId],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`flow ${flowId} was saved and is not there`)
  return toSavedFlow(row)
}
