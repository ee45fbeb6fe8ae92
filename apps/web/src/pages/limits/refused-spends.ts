import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { readSpendDeclaration } from '../../limits/spend-declaration.ts'
import type { SignedOrder } from '../../kept/order.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** A refused job of a capability that may spend. Refusals are not recorded on the chain. */
export interface RefusedSpend {
  readonly jobId: string
  /** Opens the job; undefined when its payer opens it by signing in. */
  readonly token: string | undefined
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  /** The refused amount in decimal USDC, if the agent's message has the form of our runtime's message. */
  readonly amount: string | undefined
  /** The agent's own words. */
  readonly error: string
  /** Unix seconds. */
  readonly at: number
}

const MOST_AGENTS = 10
const MOST_SHOWN = 50

type Failed = Omit<RefusedSpend, 'amount'>

/** The jobs that failed with `validation` at capabilities with declared permissions, the newest first. */
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

/** The failed jobs of the signed-in wallet. */
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

/** The failed jobs among the orders that this browser keeps of a payer. */
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

/** The amount at which a transfer was refused, if the message has the form of our runtime's message. */
function refusedAmount(error: string): string | undefined {
  return /^allowance: must be at least (\d{1,12}(?:\.\d{1,6})?) USDC\b/.exec(error)?.[1]
}
