import { randomBytes, randomUUID } from 'node:crypto'
import type { Flow } from '@farebox/flows/document/flow'
import type { FastifyInstance } from 'fastify'
import { readKeptFlow } from '../checking/flows/read-kept-flow.ts'
import { createFlow } from '../flows/saved/save-flow.ts'
import { setWebhook } from '../monitor/webhooks/webhooks.ts'
import { findSession } from '../owners/sessions.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { readSigningKey } from '../receipts/platform-keys.ts'
import { insertAgent } from './database/insert-agent.ts'
import { makeWallet, signedInAs } from './sign-in.ts'

/** An owner with one of everything that an owner can have. */
export interface OwnThings {
  readonly address: string
  /** The headers of a session of this owner. */
  readonly headers: { readonly authorization: string }
  /** The values for path parameters, by the parameter's name. */
  readonly ids: {
    readonly agentId: string
    readonly jobId: string
    readonly runId: string
    readonly flowId: string
    readonly sessionId: string
    readonly secretId: string
    /** The platform's key, which belongs to no owner. */
    readonly keyId: string
  }
}

/**
 * Creates a new owner with an agent and its webhook, a paid job, a flow, a second session, and a FACILITATOR_SECRET.
 */
export async function makeOwnThings(parts: PlatformParts, app: FastifyInstance): Promise<OwnThings> {
  const { database, clock } = parts
  const { address } = makeWallet(parts.crypto)
  const { agentId } = await insertAgent(database, { owner: address })
  await setWebhook(database, agentId, {
    owner: address,
    url: 'https://hooks.example/farebox',
    nowMs: clock.nowMs(),
  })
  const headers = await signedInAs(parts, address)
  const other = await signedInAs(parts, address)
  const session = await findSession(database, other.authorization.slice('Bearer '.length), clock.nowMs())
  const made = await app.inject({ method: 'POST', url: '/v1/me/secrets', headers, payload: {} })
  return {
    address,
    headers,
    ids: {
      agentId: String(agentId),
      jobId: await insertPaidJob(parts, agentId, address),
      runId: await startOwnRun(parts, app, address),
      flowId: await insertFlow(parts, address),
      sessionId: session?.sessionId ?? '',
      secretId: made.json<{ secret_id: string }>().secret_id,
      keyId: (await readSigningKey(database, clock.nowMs())).keyId,
    },
  }
}

/** Starts a run that is over at once, so that the stream of its events ends. */
async function startOwnRun(
  { database }: PlatformParts,
  app: FastifyInstance,
  payer: string,
): Promise<string> {
  const flow = {
    flow_version: 1,
    name: 'A word',
    inputs: {},
    outputs: ['said'],
    steps: { word: { kind: 'constant', value: 'yes' } },
    wires: [{ from: { step: 'word', port: 'value' }, to: { step: 'output', port: 'said' } }],
  }
  const payload = { flow, input: {}, max_total: '0' }
  const started = await app.inject({ method: 'POST', url: '/v1/runs', payload })
  const { run_id: runId } = started.json<{ run_id: string }>()
  await database.query('test-pay-run', 'update runs set payer = $2 where run_id = $1', [runId, payer])
  return runId
}

/** An empty flow that can be stored. */
export const OWN_FLOW: Flow = {
  flow_version: 1,
  name: 'A flow',
  inputs: {},
  outputs: [],
  steps: {},
  wires: [],
}

async function insertFlow({ database, clock }: PlatformParts, address: string): Promise<string> {
  const read = readKeptFlow(OWN_FLOW)
  if (!read.ok) throw new Error(read.reason)
  const saver = { address, sessionId: randomUUID(), from: '127.0.0.1', nowMs: clock.nowMs() }
  return (await createFlow(database, read.kept, saver)).flow_id
}

async function insertPaidJob(
  { database, clock, network }: PlatformParts,
  agentId: number,
  payer: string,
): Promise<string> {
  const jobId = randomUUID()
  const hash = randomBytes(32).toString('hex')
  const now = new Date(clock.nowMs())
  await database.query(
    'test-insert-job',
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
       finished_at, elapsed_ms, transaction, input_hash, endpoint, max_deadline_seconds, deadline, network, asset,
       pay_to, nonce, valid_after, valid_before, answer, payment, paid_at, output_hash, completed_at, asking_over,
       response_status, response_body)
     values ($1, $2, 'count', 'caller', $3, 10000, 'completed', $4, $4, $4, 120, $5::text, $6::text,
       'https://agent.example', 10, $7::bigint, $8, $9, $3, $5::text, 0, $7::bigint, 'completed', 'paid', $4, $6::text,
       $7::bigint, true, 200, $10)`,
    [
      jobId,
      agentId,
      payer,
      now,
      `0x${hash}`,
      hash,
      Math.floor(clock.nowMs() / 1e3),
      network.id,
      network.asset.address,
      Buffer.from('{}'),
    ],
  )
  return jobId
}

/**
 * Reads everything that the database and the facilitator have stored, for a comparison. It omits the last use of
 * sessions.
 */
export async function everythingStored(
  { database, settings }: PlatformParts,
  owners: readonly string[],
): Promise<unknown> {
  const tables = await database.query<{ name: string }>(
    'test-tables',
    'select table_name as name from information_schema.tables where table_schema = $1 order by 1',
    [database.schema],
  )
  const all = tables
    .map(
      ({ name }) =>
        `select '${name}' as name, json_agg(to_jsonb(t) - 'used_at' order by t::text) as rows from ${name} t`,
    )
    .join(' union all ')
  // Without an order, the rows come in the order in which parallel workers find them.
  const { rows } = await database.pool.query<{ name: string; rows: unknown }>(`${all} order by 1`)
  const stored: unknown[] = [...rows]
  for (const owner of owners) {
    const { url = '', adminToken = '' } = settings.facilitator ?? {}
    const answer = await fetch(`${url}/secrets?owner=${owner}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    stored.push([owner, await answer.json()])
  }
  return stored
}
