import type { ReactNode } from 'react'
import { formatDuration } from '../format/duration.ts'
import { Address, Hash } from '../parts/short.tsx'
import { StopLine, type LineStop } from '../job-view/job-progress.tsx'
import { readDevAnswer } from './dev-run.ts'
import type { DevAnswer, DevStep, Settled } from './wire.ts'

type StepKind = DevStep['kind']

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

/** The name of the step at which a job ended, for jobs that ended without a reason from the agent. */
const FAILED_NAMES: { readonly [kind in StepKind]?: string } = {
  asked: 'No price received',
  signed: 'Not signed',
  settled: 'Not settled',
}

/** The steps of a job in a line, each with its duration, and the step at which the job stopped. */
export function DevSteps(props: {
  readonly steps: readonly DevStep[]
  readonly answer: DevAnswer | undefined
  readonly isPaid: boolean
}): ReactNode {
  return <StopLine stops={stopsOf(props)} />
}

const took = (ms: number): string => (ms < 1 ? '< 1 ms' : formatDuration(ms))

function stopsOf(props: Parameters<typeof DevSteps>[0]): readonly LineStop[] {
  const { steps, answer, isPaid } = props
  const isDelivered = answer !== undefined && readDevAnswer(answer).kind === 'delivered'
  const plan = isPaid ? PAID_PLAN : PLAN
  const found = plan.map(kind => steps.find(step => step.kind === kind))
  // The report of a step may be late or missing, but a later step implies that it was passed.
  const last = found.findLastIndex(step => step !== undefined)
  const stops = plan.map((kind, index): LineStop => {
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

function failedName(kind: StepKind, answer: DevAnswer): string {
  if (answer.status === null) return 'No response'
  const outcome = readDevAnswer(answer)
  return FAILED_NAMES[kind] ?? (outcome.kind === 'refused' ? outcome.name : 'Not delivered')
}

function detail(step: DevStep, settled: Settled | null): Pick<LineStop, 'when' | 'children'> {
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
