import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { RunStep } from '@farebox/web/internal/dev-page/wire'
import type { JobEvent } from '../messages/messages.ts'
import { readJobStep } from '../paid/read-job-step.ts'
import { plainLine } from './plain-text.ts'

/** Makes steps of the events that the agent logs of one job, in their order. */
export function createStepReader(): (event: JobEvent) => RunStep | undefined {
  let beforeMs: number | undefined
  /** Since the step before. */
  const lap = (atMs: number): number => {
    const ms = Math.max(0, atMs - (beforeMs ?? atMs))
    beforeMs = atMs
    return ms
  }
  return event => {
    const { atMs } = event
    if (event.event === 'input valid') return { kind: 'input-valid', ms: lap(atMs) }
    if (event.event.startsWith('output does not match output_schema: '))
      return { kind: 'warned', reason: plainLine(event.event) }
    const step = readJobStep(event)
    switch (step?.kind) {
      case undefined:
        return undefined
      case 'called':
        // Of a paid job the first call only asks for the price.
        beforeMs = atMs
        return undefined
      case 'verified':
        return { kind: 'verified', ms: lap(atMs), amount: formatUsdc(step.amountAtomic) }
      case 'ran':
        lap(atMs)
        return { kind: 'ran', ms: step.tookMs }
      case 'settled':
        return { kind: 'settled', ms: lap(atMs), transaction: plainLine(step.transaction) }
      case 'refused':
      case 'failed':
      case 'pending':
        return { kind: step.kind, reason: plainLine(step.reason) }
    }
  }
}

/** Whether nothing more is to be expected of a job after this event. */
export function isLast({ event, fields }: JobEvent): boolean {
  return event === 'completed' || (event === 'refused' && typeof fields['status'] === 'number')
}
