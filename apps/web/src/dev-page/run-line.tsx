import type { ReactNode } from 'react'
import { formatDuration } from '../format/duration.ts'
import { Address, Hash } from '../parts/short.tsx'
import { StopLine, type LineStop as Stop } from '../job-view/job-progress.tsx'
import { readOutcome } from './run.ts'
import type { RunAnswer, RunStep, Settled } from './wire.ts'

type StepKind = RunStep['kind']

const PLAN: readonly StepKind[] = ['input-valid', 'ran']
const PAID_PLAN: readonly StepKind[] = ['asked', 'signed', 'verified', 'input-valid', 'ran', 'settled']

const NAMES: { readonly [kind in StepKind]?: string } = {
  asked: 'Asked for the price',
  signed: 'Signed',
  verified: 'Verified',
  'input-valid': 'Input valid',
  ran: 'Ran',
  settled: 'Settled',
}

/** What a stop is called where the job ended before the agent said why. */
const FAILED_NAMES: { readonly [kind in StepKind]?: string } = {
  asked: 'No price received',
  signed: 'Not signed',
  settled: 'Not settled',
}

/** A job as a line: each step with its time, and where it stopped. */
export function RunLine(props: {
  readonly steps: readonly RunStep[]
  readonly answer: RunAnswer | undefined
  readonly isPaid: boolean
}): ReactNode {
  return <StopLine stops={stopsOf(props)} />
}

/** How long a step took. */
const took = (ms: number): string => (ms < 1 ? '< 1 ms' : formatDuration(ms))

function stopsOf(props: Parameters<typeof RunLine>[0]): readonly Stop[] {
  const { steps, answer, isPaid } = props
  const isDelivered = answer !== undefined && readOutcome(answer).kind === 'delivered'
  const plan = isPaid ? PAID_PLAN : PLAN
  const found = plan.map(kind => steps.find(step => step.kind === kind))
  // A step may be heard of late, or not at all: what comes after it has passed it by.
  const last = found.findLastIndex(step => step !== undefined)
  const stops = plan.map((kind, index): Stop => {
    const step = found[index]
    const name = NAMES[kind] ?? kind
    if (step !== undefined || index < last || isDelivered)
      return { name, state: 'passed', ...(step !== undefined && detail(step, answer?.settled ?? null)) }
    if (index > last + 1) return { name, state: 'ahead' }
    return answer === undefined
      ? { name, state: 'here' }
      : { name: failedName(kind, answer), state: 'failed' }
  })
  if (answer === undefined) return [...stops, { name: 'Responded', state: 'ahead' }]
  const whole = <p>From the first byte sent to the last byte received</p>
  return isDelivered
    ? [
        ...stops,
        { name: `Responded with ${answer.status}`, state: 'passed', when: took(answer.ms), children: whole },
      ]
    : stops
}

function failedName(kind: StepKind, answer: RunAnswer): string {
  if (answer.status === null) return 'No response'
  const outcome = readOutcome(answer)
  return FAILED_NAMES[kind] ?? (outcome.kind === 'refused' ? outcome.name : 'Not delivered')
}

function detail(step: RunStep, settled: Settled | null): Pick<Stop, 'when' | 'children'> {
  switch (step.kind) {
    case 'asked':
      return { when: took(step.ms), children: step.amount !== null && <p>402: {step.amount} USDC</p> }
    case 'signed':
      return {
        when: took(step.ms),
        children: (
          <p>
            by the test wallet <Address of={step.payer} />, for this job only
          </p>
        ),
      }
    case 'verified':
      return { when: took(step.ms), children: <p>{step.amount} USDC held by the facilitator</p> }
    case 'ran':
      return { when: took(step.ms), children: <p>Your handler, including the output check</p> }
    case 'settled':
      return {
        when: took(step.ms),
        children: (
          <p>
            <Hash of={step.transaction} />
            {settled !== null && settled.block_number !== null && ` in block ${settled.block_number}`}
          </p>
        ),
      }
    case 'input-valid':
      return { when: took(step.ms) }
    case 'warned':
    case 'refused':
    case 'failed':
    case 'pending':
      return {}
  }
}
