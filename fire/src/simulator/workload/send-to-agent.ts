import type { FetchInit } from '@farebox/client/exchange/client-options'
import type { AgentAnswer, AgentParty, AgentRequest } from '../parties/agent-party.ts'
import { jobName } from '../records/job-records.ts'
import type { Send } from '../records/send-records.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import { exchange } from '../wires/exchange.ts'
import { callThroughPort } from '../wires/port.ts'
import type { World } from '../world.ts'

/** A request for a job. */
export interface JobCall {
  readonly agent: AgentParty
  readonly jobId: string
  readonly body: string
  readonly header: string | undefined
  readonly isForged?: boolean
}

const USUAL_MS = 30

/** Sends one, and notes what its caller sees. Rejects, or never settles, as the network has it. */
export async function sendToAgent(
  world: World,
  process: VirtualProcess,
  call: JobCall,
  signal?: AbortSignal,
): Promise<AgentAnswer> {
  const { agent, body, header, isForged = false } = call
  const job = jobName(`${agent.name}/${call.jobId}`)
  const send = world.sends.begin({ caller: process.name, agent: agent.name, job, body, header, isForged })
  const giveUp = (): void => {
    if (send.seen === undefined) send.givenUpMs ??= world.wires.time.nowMs()
  }
  signal?.addEventListener('abort', giveUp, { once: true })
  const forget = process.onDeath(giveUp)
  const headers = {
    'content-type': 'application/json',
    ...(header === undefined ? {} : { 'payment-signature': header }),
  }
  try {
    const answer = await callOnce(
      world,
      process,
      agent,
      { method: 'POST', path: '/execute', headers, body, job },
      send,
    )
    if (send.givenUpMs === undefined) noteSeen(world, process, send, answer)
    return answer
  } catch (error) {
    giveUp()
    throw error
  } finally {
    forget()
  }
}

/** The virtual network as a `fetch`, for our client; `jobOf` says what job a body is for. */
export function createFetch(
  world: World,
  process: VirtualProcess,
  agent: AgentParty,
): (url: string, init: FetchInit) => Promise<Response> {
  return async (url, init) => {
    const { pathname } = new URL(url)
    const body = typeof init.body === 'string' ? init.body : undefined
    // Our client gives its headers as a plain object.
    const headers = init.headers as { readonly [name: string]: string }
    const answer =
      pathname === '/execute' && body !== undefined
        ? await sendToAgent(
            world,
            process,
            { agent, jobId: jobIdOf(body), body, header: headers['payment-signature'] },
            init.signal ?? undefined,
          )
        : await callOnce(world, process, agent, {
            method: init.method ?? 'GET',
            path: pathname,
            headers,
            body,
            job: undefined,
          })
    return new Response(answer.text, { status: answer.status, headers: answer.headers })
  }
}

function callOnce(
  world: World,
  process: VirtualProcess,
  agent: AgentParty,
  request: AgentRequest,
  send?: Send,
): Promise<AgentAnswer> {
  const { wires } = world
  const label = `${request.method} ${agent.name} ${request.job?.slice(-8) ?? request.path}`
  return callThroughPort(wires, {
    process,
    kind: 'payer',
    port: 'network',
    name: `agent ${request.path}`,
    label,
    call: () =>
      exchange(wires, {
        caller: process,
        label,
        request,
        find: agent.find,
        usualMs: USUAL_MS,
        onArrival: () => void send?.arrivedMs.push(wires.time.nowMs()),
      }),
  })
}

function noteSeen(world: World, process: VirtualProcess, send: Send, answer: AgentAnswer): void {
  const { status, text, headers, saidMs } = answer
  world.wires.trace.note(process.name, () => `hears ${status} of ${send.job}`)
  send.seen = {
    status,
    text,
    paymentResponse: headers['payment-response'] ?? '',
    saidMs,
    heardMs: world.wires.time.nowMs(),
  }
}

function jobIdOf(body: string): string {
  const { job_id: jobId } = JSON.parse(body) as { readonly job_id?: unknown }
  return typeof jobId === 'string' ? jobId : ''
}
