import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fetch } from '@farebox/client/exchange/client-options'
import { job as jobAnswer, type JobAnswer, type JobOrder } from '@farebox/platform-api/jobs'
import { signOrder } from '../../../e2e/stage/order.ts'
import { noteAttempt, type Answer } from '../storms/event-log.ts'
import { CAPABILITY, persist } from '../storms/order.ts'
import { callAgent } from '../storms/script/call-agent.ts'
import { WALLET, type Payer, type Stage, type StageAgent } from '../storms/stage/stage.ts'
import { ask } from '../storms/stage/wire.ts'
import { AGENT_HOST } from './deploy.ts'

/** How a job went, as its caller saw it. */
export interface CalledJob {
  readonly jobId: string
  readonly by: 'agent' | 'platform'
  readonly startedMs: number
  readonly endedMs: number
  readonly isCompleted: boolean
  /** Why it is not. */
  readonly reason: string
}

/** Where jobs are ordered, and by whom. */
export interface LoadPlan {
  readonly platformUrl: string
  readonly agentId: number
  readonly agent: StageAgent
  readonly payers: readonly Payer[]
  readonly everyMs: number
}

export const AGENT_URL = `https://${AGENT_HOST}`
/** A minute, as our client is asked for in `callAgent`. */
export const DEADLINE_SECONDS = 60
const PRICE = '0.01'
/** The agent's answer, and the proof that the platform waits for. */
const LATEST_MS = 120_000
const REPEAT_MS = 500
const WAIT_MS = 130_000

/**
 * Orders a job every so often, whatever becomes of the others: one directly from the agent with our client, the next
 * through the platform, until it is enough and each has come to an end.
 */
export async function runJobs(
  stage: Stage,
  plan: LoadPlan,
  enough: AbortSignal,
): Promise<readonly CalledJob[]> {
  const jobs: Promise<CalledJob>[] = []
  const startedMs = Date.now()
  for (let number = 0; !enough.aborted && !stage.signal.aborted; number += 1) {
    const payer = plan.payers[number % plan.payers.length]
    if (payer === undefined) throw new Error('nobody pays')
    jobs.push(
      number % 2 === 0 ? callDirectly(stage, plan, payer) : orderAtPlatform(stage, plan, payer, number),
    )
    await delay(Math.max(0, startedMs + (number + 1) * plan.everyMs - Date.now()))
  }
  return await Promise.all(jobs)
}

async function callDirectly(stage: Stage, { agent }: LoadPlan, { privateKey }: Payer): Promise<CalledJob> {
  const [jobId, startedMs] = [randomUUID(), Date.now()]
  const fetch = notingFetch(stage, agent)
  const {
    ended,
    said = '',
    text,
  } = await callAgent('ours', { crypto: stage.crypto, url: AGENT_URL, jobId, privateKey, fetch })
  const isCompleted = ended === 'delivered' && text === jobId
  return {
    jobId,
    by: 'agent',
    startedMs,
    endedMs: Date.now(),
    isCompleted,
    reason: isCompleted ? '' : `${ended}: ${said}`,
  }
}

/** The requests of our client; those with a payment are noted for the audit. */
function notingFetch({ eventLog }: Stage, { name, connections }: StageAgent): Fetch {
  return async (url, { method, headers, body, signal }) => {
    // Our client writes them so.
    const sent = headers as { readonly [name: string]: string } | undefined
    const { pathname: path } = new URL(url)
    const request = {
      method: method as 'GET' | 'POST',
      path,
      headers: sent ?? {},
      body: body as string,
      signal,
    }
    const send = (): Promise<Answer> => ask(connections, request)
    const payment = sent?.['payment-signature']
    const answer =
      payment === undefined
        ? await send()
        : await noteAttempt(eventLog.place(request.body, payment, 'payment'), name, send)
    return new Response(answer.body, {
      status: answer.status,
      headers: answer.headers as { [name: string]: string },
    })
  }
}

/**
 * Orders by `POST /v1/jobs`, and again until the platform says how it ended. What it calls completed is then asked of the
 * agent itself, for the audit: the same request as the platform sent is answered from the record.
 */
async function orderAtPlatform(
  stage: Stage,
  plan: LoadPlan,
  payer: Payer,
  number: number,
): Promise<CalledJob> {
  const [jobId, startedMs] = [randomUUID(), Date.now()]
  const listed = { agentId: plan.agentId, endpoint: AGENT_URL, wallet: WALLET }
  const order = await signOrder(stage, listed, {
    capability: CAPABILITY,
    price: PRICE,
    input: { text: jobId },
    payerKey: payer.privateKey,
    deadlineSeconds: DEADLINE_SECONDS,
    jobId,
  })
  const noted = stage.eventLog.place(bodyFor(order), order.payment, 'payment')
  const { answer, reason } = await orderUntilEnded(plan.platformUrl, order, number, stage.signal)
  const endedMs = Date.now()
  const isCompleted = answer?.status === 'completed' && answer.output?.['text'] === jobId
  if (answer?.status === 'completed')
    await persist(stage, noted, { nextAgent: () => plan.agent, takes500: false, forMs: LATEST_MS })
  return { jobId, by: 'platform', startedMs, endedMs, isCompleted, reason: isCompleted ? '' : reason }
}

/** The bytes that the platform sends to the agent for an order. */
function bodyFor({ capability, job_id, input, deadline }: JobOrder): string {
  return JSON.stringify({ service_version: '1.0', job_id, task: { capability, input }, deadline })
}

interface Ended {
  readonly answer?: JobAnswer
  /** The last answer in words. */
  readonly reason: string
}

/** Until the job has its receipt, or failed, or cannot be paid any more; at most two minutes. */
async function orderUntilEnded(
  url: string,
  order: JobOrder,
  caller: number,
  signal: AbortSignal,
): Promise<Ended> {
  const headers = {
    'content-type': 'application/json',
    // The company's entry, which ends TLS, says who calls.
    'x-forwarded-for': `198.51.100.${(caller % 100) + 1}`,
  }
  const request = { method: 'POST', headers, body: JSON.stringify(order) }
  let last: Ended = { reason: 'no answer' }
  for (
    const untilMs = Date.now() + LATEST_MS;
    Date.now() < untilMs && !signal.aborted;
    await delay(REPEAT_MS)
  ) {
    try {
      const given = await fetch(`${url}/v1/jobs`, { ...request, signal: AbortSignal.timeout(WAIT_MS) })
      const text = await given.text()
      const reason = `HTTP ${given.status} ${text.slice(0, 300)}`
      const answer = given.ok ? jobAnswer.parse(JSON.parse(text)) : undefined
      last = { reason, ...(answer && { answer }) }
      if (answer === undefined ? given.status < 500 && given.status !== 429 : isEnded(answer)) return last
    } catch (error) {
      last = { reason: `${String(error)}: ${String((error as Error).cause)}` }
    }
  }
  return last
}

function isEnded({ status, receipt, charged }: JobAnswer): boolean {
  return status === 'completed'
    ? receipt !== null
    : status === 'failed' || (status === 'expired' && charged === false)
}
