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

/** Everything that was done to a stage and everything it said; what the audit judges. */
export interface EventLog {
  /** Every order, by its job_id. */
  readonly orders: ReadonlyMap<string, StormOrder>
  place(order: StormOrder): void
  attempted(order: StormOrder, attempt: Attempt): void
  attemptsOf(jobId: string): readonly Attempt[]
  readonly kills: readonly Kill[]
  killed(kill: Kill): void
  readonly freezes: readonly Freeze[]
  frozen(freeze: Freeze): void
  /** An agent has said that it executes a job: so often, by agent and job_id. */
  executions(agent: string, jobId: string): number
  executing(agent: string, jobId: string): void
  /** What went wrong that no audit would find. */
  readonly mishaps: readonly string[]
  mishap(text: string): void
}

/** Begins an empty one. */
export function createEventLog(): EventLog {
  const orders = new Map<string, StormOrder>()
  const attempts = new Map<string, Attempt[]>()
  const kills: Kill[] = []
  const freezes: Freeze[] = []
  const executions = new Map<string, number>()
  const mishaps: string[] = []
  return {
    orders,
    kills,
    freezes,
    mishaps,
    place: order => void orders.set(order.jobId, order),
    attempted({ jobId }, attempt) {
      const earlier = attempts.get(jobId)
      if (earlier === undefined) attempts.set(jobId, [attempt])
      else earlier.push(attempt)
    },
    attemptsOf: jobId => attempts.get(jobId) ?? [],
    killed: kill => void kills.push(kill),
    frozen: freeze => void freezes.push(freeze),
    executions: (agent, jobId) => executions.get(`${agent} ${jobId}`) ?? 0,
    executing(agent, jobId) {
      const key = `${agent} ${jobId}`
      executions.set(key, (executions.get(key) ?? 0) + 1)
    },
    mishap: text => void mishaps.push(text),
  }
}

/** The first 200 among attempts; undefined where none came. */
export function firstSuccess(attempts: readonly Attempt[]): StormAnswer | undefined {
  return attempts.find(({ answer }) => answer?.status === 200)?.answer
}
