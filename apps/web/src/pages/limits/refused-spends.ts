import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { readSpendDeclaration } from '../../limits/spend-declaration.ts'
import type { SignedOrder } from '../../kept/order.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** A job that was refused though its capability may spend: no chain knows of it. */
export interface RefusedSpend {
  readonly jobId: string
  /** Opens the job; undefined: its payer opens it, once signed in. */
  readonly token: string | undefined
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  /** Decimal USDC that it would have moved, where the agent's answer says so as our runtime does. */
  readonly amount: string | undefined
  /** In the agent's words. */
  readonly error: string
  /** Unix seconds. */
  readonly at: number
}

const MOST_AGENTS = 10
const MOST_SHOWN = 50

type Failed = Omit<RefusedSpend, 'amount'>

/** Jobs that failed with `validation` at capabilities which declare permissions, the newest first. */
export async function findRefused(ask: Ask, failed: readonly Failed[]): Promise<readonly RefusedSpend[]> {
  const ids = [...new Set(failed.map(({ agentId }) => agentId))].slice(0, MOST_AGENTS)
  const spending = new Set<string>()
  await Promise.all(
    ids.map(async id => {
      const agent = await ask(`/v1/agents/${id}`, answers.agentPage).catch(() => undefined)
      for (const { name, permissions } of agent?.capabilities ?? [])
        if (readSpendDeclaration(permissions) !== undefined) spending.add(`${id} ${name}`)
    }),
  )
  return failed
    .filter(({ agentId, capability }) => spending.has(`${agentId} ${capability}`))
    .map(one => ({ ...one, amount: refusedAmount(one.error) }))
    .toSorted((one, other) => other.at - one.at)
    .slice(0, MOST_SHOWN)
}

/** The jobs of the wallet that is signed in. */
export function failedOfWallet(jobs: PayerJobs['jobs']): readonly Failed[] {
  return jobs.flatMap(job =>
    job.status === 'failed' && job.error_type === 'validation'
      ? [
          {
            jobId: job.job_id,
            token: undefined,
            agentId: job.agent_id,
            agentName: job.agent_name,
            capability: job.capability,
            error: job.error ?? '',
            at: job.finished_at ?? job.created_at,
          },
        ]
      : [],
  )
}

/** The orders that this browser keeps of a payer. */
export function failedOfBrowser(orders: readonly SignedOrder[], payer: string): readonly Failed[] {
  return orders.flatMap(({ job, ...order }) =>
    order.payer === payer && job?.status === 'failed' && job.error_type === 'validation'
      ? [
          {
            jobId: order.job_id,
            token: order.job_token,
            agentId: order.agent_id,
            agentName: order.agent_name,
            capability: order.capability,
            error: job.error ?? '',
            at: job.finished_at ?? order.created_at,
          },
        ]
      : [],
  )
}

/** The amount that a transfer was refused at, where the words are those of our runtime. */
function refusedAmount(error: string): string | undefined {
  return /^allowance: must be at least (\d{1,12}(?:\.\d{1,6})?) USDC\b/.exec(error)?.[1]
}
