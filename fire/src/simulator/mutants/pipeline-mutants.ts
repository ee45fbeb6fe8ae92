import type { Mutant } from './mutant.ts'

const agent = 'packages/farebox/src'

/** A body as failures have it. */
const FAILED = `const FAILED = '{"status":"failed","error_type":"internal","error":"mutant","service_version":"1.0"}'`

/** Breaks of the agent's pipeline: who is told what, and when. */
export const PIPELINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'answer-before-settle',
    breaks: 'the output waits for the proof: here it does not',
    edits: [
      {
        file: `${agent}/execute/settle-payment.ts`,
        find: 'settlements.resume(saved.held),\n  )',
        replace: `first,
  )`,
      },
      {
        file: `${agent}/execute/settle-payment.ts`,
        find: 'const known = await withinPatience(',
        replace: `const { response } = saved.held.job as { response: string }
  const first = settlements.resume(saved.held)
  if (first) return answerSettled({ version: 1, state: 'settled', payer: '', response, paymentResponse: '' })
  const known = await withinPatience(`,
      },
    ],
  },
  {
    name: 'any-payer-repeats',
    breaks: 'a response is its payer’s: here whoever pays anything gets it',
    edits: [
      {
        file: `${agent}/execute/find-repeat.ts`,
        find: "if (job.payer !== (payment?.payer ?? '')) throw new PaymentError('this job_id is in use by another payer')",
        replace: '',
      },
    ],
  },
  {
    name: 'unknown-is-402',
    breaks: 'while money may move the answer is 503: here 402',
    edits: [
      {
        file: `${agent}/execute/settle-payment.ts`,
        find: 'if (known === undefined) return answerPending(saved.jobId)',
        replace:
          'if (known === undefined) return { ...answerPending(saved.jobId), status: 402, body: FAILED }',
      },
      {
        file: `${agent}/execute/settle-payment.ts`,
        find: 'import type { Clock }',
        replace: `${FAILED}\nimport type { Clock }`,
      },
    ],
  },
  {
    name: 'doubt-is-failure',
    breaks: 'what a failing store leaves in doubt is answered 503: here as the failure it may not be',
    edits: [
      {
        file: `${agent}/execute/pipeline.ts`,
        find: 'if (payment === undefined) throw error.cause',
        replace: 'if (order !== undefined) throw error.cause',
      },
    ],
  },
  {
    name: 'refuses-without-looking',
    breaks: 'a refusal is told when the job has been looked up: here at once, also of what was paid',
    edits: [
      {
        file: `${agent}/execute/pipeline.ts`,
        find: "if (repeat !== undefined) return countAnswer(service, order, 'repeat', repeat)",
        replace: `if (terms.kind === 'refused') throw terms.refusal
      if (repeat !== undefined) return countAnswer(service, order, 'repeat', repeat)`,
      },
    ],
  },
  {
    name: 'forgets-soon',
    breaks: 'a paid response is kept for ten minutes: here for ten seconds',
    edits: [
      {
        file: `${agent}/execute/settlements.ts`,
        find: 'keepMs: RESPONSE_KEPT_SECONDS * 1_000,',
        replace: 'keepMs: 10_000,',
      },
    ],
  },
  {
    name: 'joiner-is-told-408',
    isRare: true,
    breaks: 'who repeats with the same deadline waits for the end: here 408',
    edits: [
      {
        file: `${agent}/execute/find-repeat.ts`,
        find: 'if (ownMs >= job.deadlineMs) return Math.max(ownMs, job.deadlineMs + RUN_OVER_MS) - nowMs',
        replace: '',
      },
    ],
  },
  {
    name: 'runs-beside-overrun',
    breaks: 'no run begins while an earlier one still runs: here it does',
    edits: [
      {
        file: `${agent}/execute/let-go.ts`,
        find: "if (failure instanceof StillRunning && job.state === 'running') {",
        replace: "if (failure instanceof StillRunning && job.state === ('never' as string)) {",
      },
    ],
  },
]
