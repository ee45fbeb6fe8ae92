import type { FetchInit } from '@farebox/client/exchange/client-options'
import type { AgentAnswer, AgentParty, AgentRequest } from '../parties/agent-party.ts'
import { jobName } from '../records/job-records.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import { exchange } from '../wires/exchange.ts'
import { callThroughPort } from '../wires/port.ts'
import type { World } from '../build-world.ts'

export interface JobCall {
  readonly agent: AgentParty
  readonly jobId: string
  readonly body: string
  readonly header: string | undefined
  readonly isForged?: boolean
}

const USUAL_MS = 30

/** Sends a request, and records its caller's result. Rejects, or never settles, as the network decides. */
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
  const request = { method: 'POST', path: '/execute', headers, body, job }
  try {
    const answer = await callOnce(world, process, agent, request)
    if (send.givenUpMs === undefined) {
      world.wires.trace.note(process.name, () => `hears ${answer.status} of ${job}`)
      send.seen = { ...answer, heardMs: world.wires.time.nowMs() }
    }
    return answer
  } catch (error) {
    giveUp()
    throw error
  } finally {
    forget()
  }
}

/** The virtual network as a `fetch`, for our client. */
export function createFetch(
  world: World,
  process: VirtualProcess,
  agent: AgentParty,
): (url: string, init: FetchInit) => Promise<Response> {
  return async (url, init) => {
    const { pathname: path } = new URL(url)
    const body = typeof init.body === 'string' ? init.body : undefined
    // Our client passes its headers as a plain object.
    const headers = init.headers as { readonly [name: string]: string }
    const request = { method: init.method ?? 'GET', path, headers, body, job: undefined }
    const answer =
      path === '/execute' && body !== undefined
        ? await sendToAgent(
            world,
            process,
            { agent, jobId: jobIdOf(body), body, header: headers['payment-signature'] },
            init.signal ?? undefined,
          )
        : await callOnce(world, process, agent, request)
    return new Response(answer.text, { status: answer.status, headers: answer.headers })
  }
}

function callOnce(
  { wires }: World,
  process: VirtualProcess,
  { name, find }: AgentParty,
  request: AgentRequest,
): Promise<AgentAnswer> {
  const label = `${request.method} ${name} ${request.job?.slice(-8) ?? request.path}`
  return callThroughPort(wires, {
    process,
    kind: 'payer',
    port: 'network',
    name: `agent ${request.path}`,
    label,
    call: () => exchange(wires, { caller: process, label, request, find, usualMs: USUAL_MS }),
  })
}

function jobIdOf(body: string): string {
  const { job_id: jobId } = JSON.parse(body) as { readonly job_id?: unknown }
  return typeof jobId === 'string' ? jobId : ''
}
