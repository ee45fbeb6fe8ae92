import type { Flow } from '@farebox/flows/document/flow'
import type { RunJob, RunProgress, RunStepAnswer } from '@farebox/platform-api/flows/runs'

const job = (agent: string, price: string) =>
  ({
    kind: 'job',
    agent_id: 1,
    capability: 'work',
    pinned: {
      agent_name: agent,
      hash: 'a'.repeat(64),
      price,
      max_deadline_seconds: 10,
      input_schema: { text: { type: 'string' } },
      output_schema: { text: { type: 'string' } },
    },
  }) as const

/** Two independent paid steps, and a free step that takes from both. */
export const FLOW: Flow = {
  flow_version: 1,
  name: 'Article card',
  inputs: { text: { type: 'string' } },
  outputs: ['card'],
  steps: {
    summary: job('Summary', '0.01'),
    qr: job('QR code', '0.005'),
    ask: { kind: 'approval', question: 'Good enough?' },
    card: { kind: 'template', text: '{a} {b}' },
  },
  wires: [
    { from: { step: 'input', port: 'text' }, to: { step: 'summary', port: 'text' } },
    { from: { step: 'input', port: 'text' }, to: { step: 'qr', port: 'text' } },
    { from: { step: 'summary', port: 'text' }, to: { step: 'card', port: 'a' } },
    { from: { step: 'qr', port: 'text' }, to: { step: 'card', port: 'b' } },
    { from: { step: 'card', port: 'text' }, to: { step: 'output', port: 'card' } },
  ],
}

/** The current time in the tests, in Unix seconds. */
export const NOW = 10_000

type JobGiven = Partial<Omit<RunJob, 'payment' | 'job'>> & {
  readonly payment?: Partial<RunJob['payment']>
  readonly job?: Partial<RunJob['job']> | null
}

/** Creates a job of a run; by default it is paid and done. */
export function jobOf(key: string, { payment, job: placed, ...given }: JobGiven = {}): RunJob {
  return {
    key,
    state: 'done',
    attempt: 1,
    input: { text: 'x' },
    because: null,
    error_type: null,
    error: null,
    ...given,
    payment:
      payment === null
        ? null
        : {
            job_id: `job-of-${key}`,
            amount: key.startsWith('qr') ? '0.005' : '0.01',
            pay_to: `0x${'1'.repeat(40)}`,
            valid_before: NOW + 900,
            state: 'paid',
            ...payment,
          },
    job:
      placed === null
        ? null
        : {
            status: 'completed',
            elapsed_ms: 700,
            transaction: '0x2',
            block_number: 31,
            usable_until: NOW + 1_000,
            charged_without_delivery: false,
            output_problem: null,
            ...placed,
          },
  }
}

/** A job that its agent refused, and whose payment is still valid. */
export const FAILED: JobGiven = {
  state: 'failed',
  error_type: 'internal',
  error: 'Internal error',
  payment: { state: 'sent' },
  job: { status: 'failed', transaction: null, block_number: null },
}

/** Creates a step with its jobs; its state is `ordering`, or `done` if all of them are done. */
export function stepOf(
  step: string,
  jobs: readonly RunJob[],
  given: Partial<RunStepAnswer> = {},
): RunStepAnswer {
  const isDone = jobs.length > 0 && jobs.every(({ state }) => state === 'done')
  return {
    step,
    state: isDone ? 'done' : jobs.length > 0 ? 'ordering' : 'waiting',
    reason: null,
    until: null,
    outputs: isDone ? { text: 'short' } : null,
    jobs: [...jobs],
    ...given,
  }
}

/** Creates a run of the flow with these steps. */
export function runOf(steps: readonly RunStepAnswer[], given: Partial<RunProgress> = {}): RunProgress {
  return {
    run_id: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
    status: 'running',
    waiting: [],
    payer: `0x${'2'.repeat(40)}`,
    max_total: '0.015',
    paid: '0',
    exposed: '0',
    exposed_until: null,
    ready: '0',
    steps: [...steps],
    output: {},
    created_at: NOW - 10,
    changed_at: NOW,
    ended_at: null,
    kept_until: null,
    ...given,
  }
}
