import type { WholeAnswer } from '@farebox/client/internal/exchange/exchange'
import { readOutcome, type Outcome } from '@farebox/client/internal/attempt/read-outcome'
import { sendInSpan } from '@farebox/protocol/internal/trace/spans'
import { readTraceparent } from '@farebox/protocol/internal/trace/traceparent'
import { calledFor } from '../../agents/agent-row.ts'
import { readRecentAgent } from '../../agents/read-agent.ts'
import { executeLimits } from '../../outbound/limits.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { jobFields } from '../records/job-fields.ts'
import type { JobRow } from '../records/job-row.ts'
import { readRequest } from '../records/job-store.ts'
import { readAnswer } from '../quote/read-answer.ts'

/** The result of sending a job to its agent once. */
export interface ReceivedAnswer {
  readonly outcome: Outcome
  /** The agent's answer; `undefined` when none arrived. */
  readonly answer: WholeAnswer | undefined
  /** The delay the agent asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Whether the payment may have reached a server. */
  readonly hasLeft: boolean
}

/**
 * Sends a job to its agent, with the stored bytes and payment. Repeating it charges no more than sending it once (D8, D22).
 * Waits as long as the agent may take (D37).
 */
export async function askAgent(
  parts: PlatformParts,
  job: JobRow,
  signal: AbortSignal,
): Promise<ReceivedAnswer> {
  const { sealedPayment } = job
  const requestBody = job.requestBody ?? (await readRequest(parts.database, job.jobId))
  if (requestBody === undefined || sealedPayment === undefined)
    throw new Error(`job ${job.jobId} has nothing left to be sent`)
  const url = `${job.endpoint}/execute`
  const outcome = await sendInSpan(
    job.trace ?? readTraceparent(undefined),
    { method: 'POST', url },
    traceparent =>
      parts.outbound.send({
        url,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'payment-signature': parts.seal.open(job.jobId, sealedPayment),
          traceparent,
        },
        body: requestBody,
        // Read now, because the agent may have been transferred or moved since the job was ordered.
        calledFor: async () => {
          const agent = await readRecentAgent(parts.database, job.agentId)
          return agent?.endpoint === job.endpoint ? calledFor(agent) : undefined
        },
        ...executeLimits(job.maxDeadlineSeconds),
        signal,
      }),
    sent => (sent.kind === 'failed' ? undefined : sent.status),
  )
  if (outcome.kind === 'failed') {
    parts.log.info('the agent did not answer', {
      ...jobFields(job),
      agent: job.agentId,
      reason: outcome.reason,
      detail: outcome.detail,
    })
    const unavailable = { kind: 'unavailable', reason: outcome.reason } as const
    return {
      outcome: unavailable,
      answer: undefined,
      retryAfterMs: undefined,
      hasLeft: outcome.mayHaveArrived,
    }
  }
  const answer = readAnswer(outcome)
  return {
    outcome: readOutcome(answer, job.jobId),
    answer,
    retryAfterMs: readRetryAfter(answer),
    hasLeft: true,
  }
}

/** Reads seconds only: a date would depend on the agent's clock. */
function readRetryAfter({ headers }: WholeAnswer): number | undefined {
  const header = headers.get('retry-after')
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : undefined
}
