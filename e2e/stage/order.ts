import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { job, type JobAnswer, type JobOrder } from '@farebox/platform-api/jobs'
import { signFor } from './pay.ts'
import type { Stage } from './stage.ts'

/** An agent as the platform knows it. */
export interface ListedAgent {
  readonly agentId: number
  readonly endpoint: string
  readonly wallet: string
}

/** How long an order is good: whoever kills the platform meanwhile does not make it late. */
const ORDER_SECONDS = 600

/** Signs an order of a job: kept, it can be sent again. */
export async function signOrder(
  stage: Stage,
  agent: ListedAgent,
  task: {
    readonly capability: string
    readonly price: string
    readonly input: { readonly [field: string]: unknown }
    readonly payerKey?: string
  },
): Promise<JobOrder> {
  const { capability, price, input, payerKey } = task
  const jobId = randomUUID()
  const payment = await signFor(stage, {
    payTo: agent.wallet,
    price,
    boundTo: { endpoint: `${agent.endpoint}/execute`, capability, jobId },
    validSeconds: ORDER_SECONDS,
    ...(payerKey !== undefined && { payerKey }),
  })
  const deadline = Math.floor(Date.now() / 1_000) + ORDER_SECONDS
  return { agent_id: agent.agentId, capability, job_id: jobId, input, deadline, payment }
}

/** Sends an order once. */
export async function sendOrder(platformUrl: string, order: JobOrder): Promise<Response> {
  return await fetch(`${platformUrl}/v1/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  })
}

const ASK_EVERY_MS = 100

/**
 * Sends the same order again and again until its job has come to an end, whatever happens to the platform meanwhile.
 *
 * @throws Error when it has not by then
 */
export async function orderUntilDone(
  platformUrl: string,
  order: JobOrder,
  withinMs: number,
): Promise<JobAnswer> {
  let last = 'nothing'
  for (const endMs = Date.now() + withinMs; Date.now() < endMs; await delay(ASK_EVERY_MS)) {
    try {
      const answer = await sendOrder(platformUrl, order)
      const text = await answer.text()
      last = `HTTP ${answer.status} ${text.slice(0, 500)}`
      const read = job.safeParse(JSON.parse(text))
      if (read.success && isDone(read.data)) return read.data
    } catch (error) {
      last = String(error)
    }
  }
  throw new Error(`the job ${order.job_id} has not come to an end within ${withinMs} ms: ${last}`)
}

function isDone({ status, receipt }: JobAnswer): boolean {
  return status === 'failed' || (status === 'completed' && receipt !== null)
}
