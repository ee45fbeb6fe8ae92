import { randomUUID } from 'node:crypto'
import { job, type JobAnswer, type JobOrder } from '@farebox/platform-api/jobs'
import { until } from '@farebox/protocol/src/test-setup/until'
import { signFor } from './pay.ts'
import type { Stage } from './stage.ts'

/** An agent on the platform. */
export interface ListedAgent {
  readonly agentId: number
  readonly endpoint: string
  readonly wallet: string
}

/** The default validity of an order: long enough for a restart of the platform. */
const ORDER_SECONDS = 600
/** How much longer a payment is valid than its order: it is settled after the job is done. */
const SETTLING_SECONDS = 30

/** Signs an order of a job, which can be stored and sent again. */
export async function signOrder(
  stage: Pick<Stage, 'crypto'>,
  agent: ListedAgent,
  task: {
    readonly capability: string
    readonly price: string
    readonly input: { readonly [field: string]: unknown }
    readonly payerKey?: string
    readonly deadlineSeconds?: number
    readonly jobId?: string
  },
): Promise<JobOrder> {
  const { capability, price, input, payerKey, deadlineSeconds = ORDER_SECONDS, jobId = randomUUID() } = task
  const payment = await signFor(stage, {
    payTo: agent.wallet,
    price,
    boundTo: { endpoint: `${agent.endpoint}/execute`, capability, jobId },
    validSeconds: deadlineSeconds + SETTLING_SECONDS,
    ...(payerKey !== undefined && { payerKey }),
  })
  const deadline = Math.floor(Date.now() / 1_000) + deadlineSeconds
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

/** Repeats the same order until its job has ended, whatever happens to the platform meanwhile. */
export async function orderUntilDone(platformUrl: string, order: JobOrder): Promise<JobAnswer> {
  return await until(async () => {
    const answer = await sendOrder(platformUrl, order).catch(() => undefined)
    const read = job.safeParse(await answer?.json().catch(() => undefined))
    return read.success && isDone(read.data) && read.data
  }, ASK_EVERY_MS)
}

function isDone({ status, receipt }: JobAnswer): boolean {
  return status === 'failed' || (status === 'completed' && receipt !== null)
}
