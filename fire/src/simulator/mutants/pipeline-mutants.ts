import type { Mutant } from './mutant.ts'

/** A body as failures have it. */
const FAILED = '{"status":"failed","error_type":"internal","error":"mutant","service_version":"1.0"}'

/** Breaks of the agent's pipeline: who is told what, and when. */
export const PIPELINE_MUTANTS: readonly Mutant[] = [
  {
    name: 'answer-before-settle',
    breaks: 'the output waits for the proof: here it does not',
    edits: [
      {
        in: 'farebox/settlePayment',
        find: 'settlements.resume(saved.held),\n  )',
        replace: `first,
  )`,
      },
      {
        in: 'farebox/settlePayment',
        find: 'const known = await withinWait(',
        replace: `const { response } = saved.held.job as { response: string }
  const first = settlements.resume(saved.held)
  if (first) return answerSettled({ version: 1, state: 'settled', payer: '', response, paymentResponse: '' })
  const known = await withinWait(`,
      },
    ],
  },
  {
    name: 'any-payer-repeats',
    breaks: 'a response is its payer’s: here whoever pays anything gets it',
    edits: [
      {
        in: 'farebox/findRepeat',
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
        in: 'farebox/settlePayment',
        find: 'if (known === undefined) return answerPending(saved.jobId)',
        replace: `if (known === undefined) return { ...answerPending(saved.jobId), status: 402, body: '${FAILED}' }`,
      },
    ],
  },
  {
    name: 'doubt-is-failure',
    breaks: 'what a failing store leaves in doubt is answered 503: here as the failure it may not be',
    edits: [
      {
        in: 'farebox/serveOrder',
        find: 'if (payment === undefined) throw error.cause',
        replace: 'if (order !== undefined) throw error.cause',
      },
    ],
  },
  {
    name: 'refuses-without-looking',
    breaks: 'a refusal is sent when the job has been looked up: here at once, also of what was paid',
    edits: [
      {
        in: 'farebox/serveOrder',
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
        in: 'farebox/createSettlements',
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
        in: 'farebox/joinableMs',
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
        in: 'farebox/releaseJob',
        find: "if (failure instanceof StillRunning && job.state === 'running') {",
        replace: "if (failure instanceof StillRunning && job.state === ('never' as string)) {",
      },
    ],
  },
]
