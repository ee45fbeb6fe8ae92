import type { Stage } from '../stage/stage.ts'
import type { StormOrder } from '../event-log.ts'

/** What became of requests while agents stopped. */
export interface Dropped {
  /** Those that an agent began to execute and never answered, a line each. */
  readonly requests: readonly string[]
  /** Requests that met a closed port. */
  readonly refused: number
  /** Requests that met a connection that was just being closed. */
  readonly cut: number
}

/** A request that got no answer and was never begun was not accepted: its connection, or the port, was being closed. */
export function findDropped({ agents, eventLog }: Stage, orders: readonly StormOrder[]): Dropped {
  const requests: string[] = []
  let refused = 0
  let cut = 0
  for (const { jobId } of orders) {
    for (const { name } of agents) {
      const sent = eventLog.attemptsOf(jobId).filter(({ agent }) => agent === name)
      const atClosedPort = sent.filter(({ trouble }) => trouble.includes('ECONNREFUSED')).length
      const unanswered = sent.filter(({ answer }) => answer === undefined).length - atClosedPort
      // An answer that the agent shuts down is given without executing the job.
      const answered = sent.filter(
        ({ answer }) => answer !== undefined && !answer.body.includes('shutting down'),
      ).length
      const begun = Math.max(0, eventLog.executions(name, jobId) - answered)
      for (let lost = 0; lost < Math.min(begun, unanswered); lost += 1)
        requests.push(
          `${name} took ${jobId} and never answered: ${sent.map(({ trouble }) => trouble).join(' ')}`,
        )
      refused += atClosedPort
      cut += Math.max(0, unanswered - begun)
    }
  }
  return { requests, refused, cut }
}
