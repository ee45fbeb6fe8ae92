import { randomBytes } from 'node:crypto'
import {
  ADMIN_TOKEN,
  startStack,
  type RunningFacilitator,
  type Stack,
} from '@farebox/facilitator/src/test-setup/start-stack'
import { NETWORK, PAY_TO } from '@farebox/facilitator/src/test-setup/payments-for-tests'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createApp } from '@farebox/platform/src/app/create-app'
import { jobsRoutes } from '@farebox/platform/src/jobs/jobs-routes'
import { startJobs } from '@farebox/platform/src/jobs/drive/start-jobs'
import { badgeRoutes } from '@farebox/platform/src/badges/badge-routes'
import { recomputeBadge } from '@farebox/platform/src/badges/change-badge'
import { insertAgent } from '@farebox/platform/src/test-setup/insert-agent'
import { signOrder } from '@farebox/platform/src/test-setup/job-orders'
import { stagePlatform, type Stage } from '@farebox/platform/src/test-setup/stage-platform'
import { createAgent, defineAgent, ValidationError, type Agent } from 'farebox'

/** What an order in an attack says; the rest is as every client of ours writes it. */
export interface AttackOrder {
  readonly payerKey: string
  readonly deadlineSeconds: number
  readonly validSeconds?: number
  readonly text?: string
  /** The address that it comes from; default loopback. */
  readonly from?: string
}

/** A platform with one paid agent, its facilitator and a chain, all in this process. */
export interface OrderStage {
  readonly platform: Stage
  readonly facilitator: RunningFacilitator
  /** How often the agent's handler began. */
  handlerRuns(): number
  /** Calls of the platform to its node so far. */
  nodeCalls(): number
  /** A wallet with so much USDC, in atomic units; 0n: a fresh key. */
  wallet(usdcAtomic: bigint): Promise<string>
  /** Sends an order without waiting for its outcome; resolves to the HTTP status. */
  order(order: AttackOrder): Promise<{ readonly status: number; readonly error: string }>
  /** Resolves once no job waits for an outcome. */
  quiet(signal: AbortSignal): Promise<void>
  /** The badge as it is computed now, with what counts against the agent. */
  badge(): Promise<{ readonly badge: string; readonly failed: number; readonly paid: number }>
  /** Bytes that the jobs take in the database, their bodies included. */
  storedBytes(): Promise<number>
  close(): Promise<void>
}

/** What one job of the agent costs, in atomic units. */
export const PRICE_ATOMIC = 10_000n
/** What the agent declares that it may take. */
export const MAX_DEADLINE_SECONDS = 10

/** What the agent's handler refuses as an input. */
export const REFUSED_TEXT = 'nothing that I count'

const INPUT_CHARACTERS = 1_048_576

/** Sets it up; the agent's handler takes `handlerMs`. */
export async function stageOrders(options: { readonly handlerMs?: number } = {}): Promise<OrderStage> {
  const stack = await startStack()
  const facilitator = await stack.startFacilitator()
  let runs = 0
  const agent = await startAgent(stack, facilitator.url, async signal => {
    runs += 1
    await wait(options.handlerMs ?? 0, signal)
  })
  const endpoint = `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`
  let calls = 0
  const rpc: JsonRpc = {
    call: (method, parameters) => {
      calls += 1
      return stack.rpc.call(method, parameters)
    },
    close: () => Promise.resolve(),
  }
  const platform = await stagePlatform({
    realTime: true,
    rpc,
    network: NETWORK,
    settings: { facilitator: { url: facilitator.url, adminToken: ADMIN_TOKEN } },
  })
  const { parts, database } = platform
  const owner = `0x${'0d'.repeat(20)}`
  const { agentId } = await insertAgent(database, {
    endpoint,
    owner,
    wallet: PAY_TO,
    declaration: { ...agent.declaration, wallet: PAY_TO },
  })
  await proveUptime(platform, agentId)
  const app = createApp(parts, [...jobsRoutes(parts), ...badgeRoutes(parts)])
  await app.ready()
  const jobs = startJobs(parts, { pollMs: 20 })
  return {
    platform,
    facilitator,
    handlerRuns: () => runs,
    nodeCalls: () => calls,
    wallet: async usdcAtomic =>
      usdcAtomic === 0n ? `0x${randomBytes(32).toString('hex')}` : await stack.createPayer(usdcAtomic),
    async order({ payerKey, deadlineSeconds, validSeconds, text = 'two words', from = '127.0.0.1' }) {
      const payload = await signOrder(parts, {
        endpoint,
        agentId,
        payerKey,
        payTo: PAY_TO,
        amountAtomic: PRICE_ATOMIC,
        input: { text },
        deadlineSeconds,
        ...(validSeconds !== undefined && { validSeconds }),
      })
      const answer = await app.inject({
        method: 'POST',
        url: '/v1/jobs?wait=false',
        payload,
        remoteAddress: from,
      })
      return { status: answer.statusCode, error: answer.json<{ error?: string | null }>().error ?? '' }
    },
    async quiet(signal) {
      const isQuiet = async (): Promise<boolean> => {
        const { rows } = await database.pool.query<{ open: number }>(
          `select count(*)::int as open from jobs where state in ('sent', 'pending')`,
        )
        return rows[0]?.open === 0
      }
      while (!(await isQuiet())) await wait(100, signal)
    },
    async badge() {
      await recomputeBadge(parts, agentId)
      const answer = await app.inject({ method: 'GET', url: `/v1/agents/${agentId}/badge` })
      const { badge, jobs: counted } = answer.json<{
        badge: string
        jobs: { failed: number; paid: number }
      }>()
      return { badge, ...counted }
    },
    async storedBytes() {
      const { rows } = await database.pool.query<{ bytes: string }>(
        `select pg_total_relation_size('jobs') as bytes`,
      )
      return Number(rows[0]?.bytes)
    },
    async close() {
      await jobs.stop()
      await app.close()
      await platform.close()
      await agent.close()
      await stack.stop()
    },
  }
}

async function startAgent(
  stack: Stack,
  facilitatorUrl: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<Agent> {
  const declaration = defineAgent({
    service_version: '1.0',
    name: 'Word counter',
    description: 'Counts the words of a text',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: MAX_DEADLINE_SECONDS,
    capabilities: {
      count: {
        description: 'Counts words',
        pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
        input_schema: { text: { type: 'string', required: true, maxLength: INPUT_CHARACTERS } },
        output_schema: { words: { type: 'integer' } },
      },
    },
  })
  return await createAgent({
    declaration,
    handlers: {
      count: async ({ text }, { signal }) => {
        if (text === REFUSED_TEXT) throw new ValidationError('text', 'is nothing that I count')
        await work(signal)
        return { words: text.split(/\s+/).length }
      },
    },
    variables: {
      AGENT_WALLET_ADDRESS: PAY_TO,
      SERVICE_DEV_MODE: 'false',
      SERVICE_NETWORK: NETWORK.id,
      SERVICE_STORE: 'memory:',
      FACILITATOR_URL: facilitatorUrl,
      FACILITATOR_SECRET: stack.secret,
    },
    ports: { log: SILENT },
  })
}

const SILENT = {
  job: () => undefined,
  note: () => undefined,
  warn: () => undefined,
  flush: () => undefined,
}

/** As an agent that was checked for a month and never failed. */
async function proveUptime({ database, parts }: Stage, agentId: number): Promise<void> {
  const now = new Date(parts.clock.nowMs())
  await database.pool.query(
    `insert into agent_health (agent_id, watched_since, due_at, last_ok_at)
     values ($1, $2::timestamptz - interval '31 days', 'infinity', $2)`,
    [agentId, now],
  )
  await database.pool.query(
    `insert into agent_hours (agent_id, hour, ok, failed, latencies_ms)
     select $1, $2::timestamptz - h * interval '1 hour', 6, 0, '{}' from generate_series(1, 31 * 24 - 1) as h`,
    [agentId, now],
  )
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (ms <= 0 || signal.aborted) return resolve()
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
    function end(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
  })
}
