import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { ManagedKind } from './stage/managed-process.ts'

/** A job and the payment for it, as they are sent: the same bytes each time. */
export interface StormOrder {
  readonly jobId: string
  readonly body: string
  /** Value of `PAYMENT-SIGNATURE`. */
  readonly header: string
  readonly authorization: Authorization
  /** One payment at most for all orders of a group: its authorization's key, or its payer where a client signs. */
  readonly group: string
}

/** One sending of an order, and what came of it. Times are Unix milliseconds. */
export interface Attempt {
  readonly agent: string
  readonly sentMs: number
  readonly endedMs: number
  /** Undefined: no answer came. */
  readonly answer: StormAnswer | undefined
  /** Why none came. */
  readonly trouble: string
}

/** An answer of an agent, whole. */
export interface StormAnswer {
  readonly status: number
  readonly body: string
  /** `PAYMENT-RESPONSE`, empty where there is none. */
  readonly receipt: string
}

/** A process that was killed, or asked to stop. */
export interface Kill {
  readonly kind: ManagedKind
  readonly name: string
  readonly pid: number
  readonly atMs: number
}

/** A process that stood still for a while. */
export interface Freeze extends Kill {
  readonly untilMs: number
}

/** Everything that was done to a stage and every answer it gave; what the audit judges. */
export interface EventLog {
  /** By job_id; of two payments for one job the later. */
  readonly orders: Map<string, StormOrder>
  readonly kills: Kill[]
  readonly freezes: Freeze[]
  /** What went wrong that no audit would find. */
  readonly mishaps: string[]
  attempted(order: StormOrder, attempt: Attempt): void
  attemptsOf(jobId: string): readonly Attempt[]
  /** How often an agent has begun to execute a job. */
  executions(agent: string, jobId: string): number
  executing(agent: string, jobId: string): void
}

export function createEventLog(): EventLog {
  const attempts = new Map<string, Attempt[]>()
  const executions = new Map<string, number>()
  return {
    orders: new Map(),
    kills: [],
    freezes: [],
    mishaps: [],
    attempted({ jobId }, attempt) {
      const earlier = attempts.get(jobId)
      if (earlier === undefined) attempts.set(jobId, [attempt])
      else earlier.push(attempt)
    },
    attemptsOf: jobId => attempts.get(jobId) ?? [],
    executions: (agent, jobId) => executions.get(`${agent} ${jobId}`) ?? 0,
    executing(agent, jobId) {
      const key = `${agent} ${jobId}`
      executions.set(key, (executions.get(key) ?? 0) + 1)
    },
  }
}

/** The first 200 among attempts; undefined where none came. */
export function firstSuccess(attempts: readonly Attempt[]): StormAnswer | undefined {
  return attempts.find(({ answer }) => answer?.status === 200)?.answer
}
