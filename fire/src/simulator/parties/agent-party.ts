import { createAgent, type JobContext, type JsonObject } from 'farebox'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import type { Stage } from '../history/stage.ts'
import { readPaymentsOnChain } from '../records/payments-on-chain.ts'
import { FAILED_AFTER } from '../records/spend-records.ts'
import { webBody } from '../stand-ins/web.ts'
import { drawGrain, processClock } from '../time/process-clocks.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Callee } from '../wires/exchange.ts'
import type { World } from '../build-world.ts'
import { NOBODY } from '../workload/cast.ts'
import { agentIdOf } from '../workload/permissions.ts'
import type { WorkloadPlan } from '../workload/plan-workload.ts'
import type { FacilitatorCall } from './facilitator-party.ts'
import { runPlannedHandler } from './run-planned-handler.ts'
import { hostName, supervise, type Program } from './supervise.ts'
import type { VirtualStore } from './virtual-store.ts'

/** A request on its way to an agent. */
export interface AgentRequest extends FacilitatorCall {
  /** The name of its job in the records; undefined without one. */
  readonly job: string | undefined
}

export interface AgentAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly text: string
  readonly saidMs: number
}

/** An agent: one declaration, one store, and a process for each replica. */
export type AgentParty = ReturnType<typeof startAgentParty>

const DOCUMENTED: ReadonlySet<number> = new Set([200, 204, 400, 401, 402, 404, 405, 408, 500, 503])

/** Starts the replicas of the agent with this number, from 0. */
export function startAgentParty(
  world: World,
  stage: Stage,
  plan: WorkloadPlan,
  index: number,
  store: VirtualStore,
) {
  const { random } = world
  const name = ['Alpha', 'Beta'][index] ?? ''
  const wallet = stage.cast.wallets[plan.sharesWallet ? 0 : index] ?? NOBODY
  const declaration = stage.declare(name, wallet, plan.maxDeadlineSeconds)
  const url = `https://${name.toLowerCase()}.example`
  const balancing = random.fork(`balancer of ${name}`)
  const handling = random.fork(`handlers of ${name}`)
  const variablesOf = (host: string) => ({
    AGENT_WALLET_ADDRESS: wallet,
    SERVICE_DEV_MODE: 'false',
    SERVICE_NETWORK: world.network.id,
    SERVICE_PUBLIC_URL: url,
    FACILITATOR_SECRET: stage.secret.secret,
    FACILITATOR_URL: `http://facilitator.${host}`,
    ...(plan.spends && {
      SPENDER_PRIVATE_KEY: stage.cast.spenderKey,
      AGENT_ID: String(agentIdOf(index)),
    }),
    ...(plan.hasNode && { SERVICE_RPC_URL: `http://node.${host}` }),
  })
  const start = async (process: VirtualProcess): Promise<Program<AgentRequest, AgentAnswer>> => {
    const place = { world, agent: name, process, handling, badRunRate: plan.badRunRate }
    const handle = (input: JsonObject, context: JobContext): Promise<JsonObject> =>
      runPlannedHandler(place, input, context)
    for (const watch of [process.onDeath, process.onPause]) watch(() => world.jobs.disturbed(process.name))
    const agent = await createAgent({
      declaration,
      handlers: Object.fromEntries(Object.keys(declaration.capabilities).map(one => [one, handle])),
      variables: variablesOf(hostName(process)),
      ports: {
        clock: processClock(process, drawGrain(random, process, plan.timerGrainMs)),
        log: world.wires.trace.logOf(process.name),
        jobStore: store.portOf(process),
        settleWaitMs: plan.agentSettleWaitMs,
      },
    })
    const serve = async (request: AgentRequest): Promise<AgentAnswer> => {
      const response = await agent.fetch(asRequest(url, request))
      const { status, headers } = response
      const text = await response.text()
      const answer = { status, headers: headersOf(headers), text, saidMs: world.wires.time.nowMs() }
      if (process.isAlive) noteAnswer(world, name, process, request, answer)
      return answer
    }
    return { serve, stop: () => agent.close() }
  }
  const replicas = Array.from({ length: plan.replicas }, (_, number) => {
    const replica = `${name}.${number + 1}`
    return supervise(world, replica, random.fork(replica), start)
  })
  /** The replica to which a load balancer sends the next request. */
  const find = (): Callee<AgentRequest, AgentAnswer> | undefined => balancing.pick(replicas).serving()
  return { name, url, wallet, declaration, store, replicas, find }
}

/** The properties that an agent reads of a web-standard request. */
function asRequest(url: string, { method, path, headers, body }: AgentRequest): Request {
  const request = {
    url: url + path,
    method,
    headers: { get: (name: string) => headers[name] ?? null },
    body: body === undefined ? null : webBody(body),
  }
  // The real class costs more than the job; the agent reads only these four properties.
  return request as unknown as Request
}

function headersOf(headers: Headers): { readonly [name: string]: string } {
  const kept = ['content-type', 'retry-after', 'payment-required', 'payment-response']
  return Object.fromEntries(kept.map(name => [name, headers.get(name) ?? '']).filter(([, value]) => value))
}

function noteAnswer(
  world: World,
  agent: string,
  process: VirtualProcess,
  request: AgentRequest,
  { status, text, headers }: AgentAnswer,
): void {
  const { job } = request
  if (FAILED_AFTER.test(text)) world.spends.failures.add(text)
  world.wires.trace.note(process.name, () => `answers ${status} ${job ?? request.path} ${text.slice(0, 150)}`)
  if (!DOCUMENTED.has(status)) world.said.oddAnswers.push({ agent, status, text })
  if (status !== 200 || job === undefined) return
  const onChain = readPaymentsOnChain(world.chain, world.network)
  const { transaction } = (decodeHeader(headers['payment-response'] ?? '') ?? {}) as { transaction?: string }
  const saved = world.jobs.of(job).saved.map(one => one.payment)
  const proven = saved.find(one => onChain.get(one)?.transaction === transaction)
  const payment = proven ?? saved.at(-1)
  const isProven = proven !== undefined
  world.said.deliveries.push({ job, atMs: world.wires.time.nowMs(), text, payment, isProven })
}
