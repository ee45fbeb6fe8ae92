import type { Evidence } from './evidence.ts'

/**
 * An agent answers each request that it began to execute, unless it is killed (S12, D32). One that got no answer and was
 * never begun was not accepted: its connection, or the port, was being closed.
 */
export function checkDropped({ eventLog, orders }: Evidence): readonly string[] {
  return orders.flatMap(order => {
    const attempts = eventLog.attemptsOf(order)
    return [...new Set(attempts.map(({ agent }) => agent))].flatMap(agent => {
      const sent = attempts.filter(attempt => attempt.agent === agent)
      const wasKilled = eventLog.outages.some(
        ({ name, atMs }) => name === agent && sent.some(({ sentMs }) => sentMs <= atMs),
      )
      const unanswered = sent.filter(({ trouble }) => trouble !== '' && !trouble.includes('ECONNREFUSED'))
      // An answer that the agent shuts down is given without executing the job.
      const answered = sent.filter(({ answer }) => answer && !answer.body.includes('shutting down'))
      const begun = (eventLog.executions.get(`${agent} ${order.jobId}`) ?? 0) - answered.length
      return !wasKilled && Math.min(begun, unanswered.length) > 0
        ? [`${agent} took ${order.jobId} and never answered: ${unanswered[0]?.trouble}`]
        : []
    })
  })
}
