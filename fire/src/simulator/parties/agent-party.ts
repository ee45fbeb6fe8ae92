import { createAgent, type Declaration, type JobContext, type JsonObject, type Log } from 'farebox'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { readPaymentsOnChain } from '../records/payments-on-chain.ts'
import type { Random } from '../seeded-random.ts'
import { webBody } from '../stand-ins/web.ts'
import { agentClock, drawGrain } from '../time/process-clocks.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Callee } from '../wires/exchange.ts'
import type { World } from '../world.ts'
import { runPlannedHandler } from './run-planned-handler.ts'
import { hostName, supervise, type Program, type Supervised } from './supervise.ts'
import type { VirtualStore } from './virtual-store.ts'

/** A request on its way to an agent. */
export interface AgentRequest {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | undefined
  /** The job it is for, as the records name it; undefined where it is for none. */
  readonly job: string | undefined
}

/** An agent's answer on its way back. */
export interface AgentAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly text: string
  readonly saidMs: number
}

/** An agent: one declaration, one store, and as many processes as it has replicas. */
export interface AgentParty {
  readonly name: string
  readonly url: string
  readonly declaration: Declaration
  readonly store: VirtualStore
  readonly replicas: readonly Supervised<AgentRequest, AgentAnswer>[]
  /** The replica a balancer sends the next request to. */
  find(): Callee<AgentRequest, AgentAnswer> | undefined
}

/** How an agent is set up. */
export interface AgentSetup {
  readonly name: string
  readonly declaration: Declaration
  readonly secret: string
  readonly store: VirtualStore
  readonly replicas: number
  /** It asks a node itself, beside the facilitator. */
  readonly hasNode: boolean
  /** The key that it spends with, and its number; absent where it does not. */
  readonly spends?: { readonly key: string; readonly agentId: bigint }
  readonly settleWaitMs: number
  /** That a run of a handler fails. */
  readonly badRunRate: number
  /** How late its timers come at most. */
  readonly timerGrainMs: number
}

const DOCUMENTED: ReadonlySet<number> = new Set([200, 204, 400, 401, 402, 404, 405, 408, 500, 503])

/** Starts an agent's replicas. */
export function startAgentParty(world: World, setup: AgentSetup): AgentParty {
  const { name, declaration, store } = setup
  const balancing = world.random.fork(`balancer of ${name}`)
  const handling = world.random.fork(`handlers of ${name}`)
  const url = `https://${name.toLowerCase()}.example`
  const replicas = Array.from({ length: setup.replicas }, (_, index) =>
    supervise<AgentRequest, AgentAnswer>({
      name: `${name}.${index + 1}`,
      kind: 'agent',
      wires: world.wires,
      random: world.random.fork(`${name}.${index + 1}`),
      processes: world.processes,
      start: process => startReplica(world, setup, url, process, handling),
    }),
  )
  return { name, url, declaration, store, replicas, find: () => balancing.pick(replicas).serving() }
}

async function startReplica(
  world: World,
  setup: AgentSetup,
  url: string,
  process: VirtualProcess,
  handling: Random,
): Promise<Program<AgentRequest, AgentAnswer>> {
  const { declaration } = setup
  const handle = (input: JsonObject, context: JobContext): Promise<JsonObject> =>
    runPlannedHandler(
      { world, agent: setup.name, process, handling, badRunRate: setup.badRunRate },
      input,
      context,
    )
  for (const watch of [process.onDeath, process.onPause]) watch(() => world.jobs.disturbed(process.name))
  const agent = await createAgent({
    declaration,
    handlers: Object.fromEntries(Object.keys(declaration.capabilities).map(name => [name, handle])),
    variables: {
      AGENT_WALLET_ADDRESS: declaration.wallet,
      SERVICE_DEV_MODE: 'false',
      SERVICE_NETWORK: world.network.id,
      SERVICE_PUBLIC_URL: url,
      FACILITATOR_SECRET: setup.secret,
      FACILITATOR_URL: `http://facilitator.${hostName(process)}`,
      ...(setup.spends !== undefined && {
        SPENDER_PRIVATE_KEY: setup.spends.key,
        AGENT_ID: String(setup.spends.agentId),
      }),
      ...(setup.hasNode ? { SERVICE_RPC_URL: `http://node.${hostName(process)}` } : {}),
    },
    ports: {
      clock: agentClock(process, drawGrain(world.random, process, setup.timerGrainMs)),
      log: traceLog(world, process),
      jobStore: setup.store.portOf(process),
      settleWaitMs: setup.settleWaitMs,
    },
  })
  return {
    async serve(request) {
      const response = await agent.fetch(asRequest(url, request))
      const { status } = response
      const answer: AgentAnswer = {
        status,
        headers: headersOf(response),
        text: await response.text(),
        saidMs: world.wires.time.nowMs(),
      }
      noteAnswer(world, setup.name, process, request, answer)
      return answer
    },
    stop: () => agent.close(),
  }
}

/** What the door of an agent reads of a web-standard request. */
function asRequest(url: string, { method, path, headers, body }: AgentRequest): Request {
  const request = {
    url: url + path,
    method,
    headers: { get: (name: string) => headers[name] ?? null },
    body: body === undefined ? null : webBody(body),
  }
  // The real class costs more than the job; the door reads these four of it and nothing else.
  return request as unknown as Request
}

function headersOf({ headers }: Response): { readonly [name: string]: string } {
  const kept = ['content-type', 'retry-after', 'payment-required', 'payment-response']
  return Object.fromEntries(
    kept.flatMap(name => (headers.get(name) === null ? [] : [[name, headers.get(name) ?? '']])),
  )
}

function noteAnswer(
  world: World,
  agent: string,
  process: VirtualProcess,
  request: AgentRequest,
  { status, text, headers }: AgentAnswer,
): void {
  if (!process.isAlive) return
  const { job } = request
  world.spends.answered(text)
  world.wires.trace.note(process.name, () => `answers ${status} ${job ?? request.path} ${text.slice(0, 150)}`)
  if (!DOCUMENTED.has(status)) world.said.oddAnswers.push({ agent, status, text })
  if (status !== 200 || job === undefined) return
  const onChain = readPaymentsOnChain(world.chain, world.network)
  const { transaction } = (decodeHeader(headers['payment-response'] ?? '') ?? {}) as { transaction?: string }
  const saved = world.jobs.of(job).saved.map(one => one.payment)
  const proven = saved.find(one => onChain.get(one)?.transaction === transaction)
  const payment = proven ?? saved.at(-1)
  const isProven = proven !== undefined
  world.said.deliveries.push({ agent, job, atMs: world.wires.time.nowMs(), text, payment, isProven })
}

function traceLog({ wires }: World, process: VirtualProcess): Log {
  const note = (event: string, fields?: object): void =>
    wires.trace.note(
      process.name,
      () => `log: ${event} ${fields === undefined ? '' : JSON.stringify(fields)}`,
    )
  return {
    job: (event, jobId, fields) => note(event, { job: jobId, ...fields }),
    note,
    warn: note,
    flush: () => undefined,
  }
}
