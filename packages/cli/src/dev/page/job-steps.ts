import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { RunStep } from '@farebox/web/internal/dev-page/wire'
import type { JobEvent } from '../messages/messages.ts'
import { readJobStep } from '../paid/read-job-step.ts'
import { plainLine } from './plain-text.ts'

/** Makes steps of the events that the agent logs of one job, in their order. */
export function createStepReader(): (event: JobEvent) => RunStep | undefined {
  let calledAtMs: number | undefined
  let ranAtMs: number | undefined
  return event => {
    const { atMs } = event
    const sinceCall = Math.max(0, atMs - (calledAtMs ?? atMs))
    if (event.event === 'input valid') return { kind: 'input-valid', ms: sinceCall }
    if (event.event.startsWith('output does not match output_schema: '))
      return { kind: 'warned', reason: plainLine(event.event) }
    const step = readJobStep(event)
    switch (step?.kind) {
      case undefined:
        return undefined
      case 'called':
        // Of a paid job the first call only asks for the price.
        calledAtMs = atMs
        return undefined
      case 'verified':
        return { kind: 'verified', ms: sinceCall, amount: formatUsdc(step.amountAtomic) }
      case 'ran':
        ranAtMs = atMs
        return { kind: 'ran', ms: step.tookMs }
      case 'settled': {
        const ms = ranAtMs === undefined ? null : atMs - ranAtMs
        return { kind: 'settled', ms, transaction: plainLine(step.transaction) }
      }
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
