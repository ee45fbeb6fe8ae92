import type { Mutant } from './mutant.ts'

const agent = 'packages/farebox/src'
const facilitator = 'packages/facilitator/src'
const payments = 'packages/payments/src'
const client = 'packages/client/src'

/** A body as failures have it. */
const FAILED = `const FAILED = '{"status":"failed","error_type":"internal","error":"mutant","service_version":"1.0"}'`

/**
 * Breaks of our own code, each of a promise the simulator claims to watch over. One that it does not notice
 * says that the promise is not watched, or that something else keeps it too.
 */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no-payment-claim',
    breaks: 'a payment is claimed for one job: here for any number',
    edits: [
      {
        file: `${agent}/jobs/job-row.ts`,
        find: 'if (kept !== undefined && kept.jobKey !== wish.jobKey) return undefined',
        replace: '',
      },
    ],
  },
  {
    name: 'timeout-is-failure',
    breaks: 'a settlement without an answer is unknown: here it failed',
    edits: [
      {
        file: `${payments}/facilitator-client.ts`,
        find: "return { kind: 'unknown', cause: causeOf(error) }",
        replace: "return { kind: 'failed', reason: 'timeout', message: causeOf(error), transaction: '' }",
      },
    ],
  },
  {
    name: 'answer-before-settle',
    breaks: 'the output waits for the proof: here it does not',
    edits: [
      {
        file: `${agent}/execute/settle-payment.ts`,
        find: 'const known = await withinPatience(clock, settlements.patienceMs, settlements.resume(saved.held))',
        replace: `const { response } = saved.held.job as { response: string }
  const first = settlements.resume(saved.held)
  if (first) return answerSettled({ version: 1, state: 'settled', payer: '', response, paymentResponse: '' })
  const known = await withinPatience(clock, settlements.patienceMs, first)`,
      },
    ],
  },
  {
    name: 'settle-before-persist',
    breaks: 'a response is saved before its payment is charged: here it is written when all is over',
    edits: [
      {
        file: `${agent}/execute/keep-leases.ts`,
        find: 'const held = await store.write(holder, hold(next))',
        replace: 'const held = await Promise.resolve(true)',
      },
    ],
  },
  {
    name: 'claim-without-lease',
    breaks: 'a job has one holder at a time: here whoever comes takes it',
    edits: [
      {
        file: `${agent}/jobs/job-row.ts`,
        find: 'if (row !== undefined && (row.sealed || isHeld(row, nowMs))) return undefined',
        replace: 'if (row !== undefined && row.sealed) return undefined',
      },
    ],
  },
  {
    name: 'no-fence',
    breaks: 'only the holder of a job writes it: here anybody who held it once',
    edits: [
      {
        file: `${agent}/jobs/memory-store.ts`,
        find: 'if (row?.fence !== holder.fence) return false',
        replace: 'if (row === undefined) return false',
      },
    ],
  },
  {
    name: 'no-binding',
    breaks: 'the facilitator keeps the first job of a payment: here it takes any',
    edits: [
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: 'if (row.binding !== request.binding || !sameTerms(row, payment))',
        replace: 'if (!sameTerms(row, payment))',
      },
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: 'if (row.binding !== binding || row.owner !== owner || !sameTerms(row, payment))',
        replace: 'if (row.owner !== owner || !sameTerms(row, payment))',
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
    name: 'doubtful-save-fails',
    breaks: 'a save that may have worked is answered 503: here 500',
    edits: [
      {
        file: `${agent}/execute/pipeline.ts`,
        find: 'if (error instanceof SaveInDoubt) return answerPending(order.jobId)',
        replace:
          'if (error instanceof SaveInDoubt) return { ...answerPending(order.jobId), status: 500, body: FAILED }',
      },
      {
        file: `${agent}/execute/pipeline.ts`,
        find: 'import type { Answer }',
        replace: `${FAILED}\nimport type { Answer }`,
      },
    ],
  },
  {
    name: 'flag-is-proof',
    breaks: 'a used nonce proves nothing: here it proves a payment',
    edits: [
      {
        file: `${payments}/chain-proof.ts`,
        find: 'return await findUse(rpc, network, authorization, head.number)',
        replace: "return { kind: 'settled', transaction: `0x${'0'.repeat(64)}`, blockNumber: head.number }",
      },
    ],
  },
  {
    name: 'success-is-proof',
    breaks: 'a receipt must show the transfer: here that it succeeded is enough',
    edits: [
      {
        file: `${payments}/chain-proof.ts`,
        find: 'if (!receipt.succeeded) return false',
        replace: 'return receipt.succeeded',
      },
    ],
  },
  {
    name: 'second-nonce',
    breaks: 'a stuck transaction is replaced under its own nonce: here under the next',
    edits: [
      {
        file: `${facilitator}/chain/follow-transaction.ts`,
        find: 'parts.relayer.sign(transaction.payments, transaction.nonce, fees)',
        replace: 'parts.relayer.sign(transaction.payments, transaction.nonce + 1, fees)',
      },
    ],
  },
  {
    name: 'release-after-capture',
    seenFrom: 300,
    breaks: 'only a hold can be given back: here a charge under way too',
    edits: [
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: "one => one.holdId === holdId && one.owner === owner && one.state === 'held',",
        replace: 'one => one.holdId === holdId && one.owner === owner,',
      },
    ],
  },
  {
    name: 'charge-after-release',
    seenFrom: 1700,
    breaks: 'what was given back is not charged: here it is',
    edits: [
      {
        file: `${facilitator}/ledger/memory/memory-payments.ts`,
        find: "    case 'held':\n    case 'expired': {",
        replace: "    case 'held':\n    case 'released' as never:\n    case 'expired': {",
      },
    ],
  },
  {
    name: 'no-recovery',
    breaks: 'what a crash left is taken up: here it is left',
    edits: [
      {
        file: `${agent}/jobs/recover-jobs.ts`,
        find: 'for (const jobKey of own.slice(0, MAX_PER_ROUND)) {',
        replace: 'for (const jobKey of own.slice(0, 0)) {',
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
    name: 'refusal-is-always-final',
    breaks: 'after a try whose end is not known a refusal says nothing: here it is final',
    edits: [
      {
        file: `${agent}/payment-gate/facilitator-gate.ts`,
        find: 'isFirst ? told : doubted(told)',
        replace: 'told',
      },
    ],
  },
  {
    name: 'pending-is-settled',
    breaks: 'the facilitator says settled when it is proven: here when it is sent',
    edits: [
      {
        file: `${facilitator}/engine/settle-payment.ts`,
        find: "if (end?.kind === 'failed') return failed(engine, request, end)",
        replace: `if (end?.kind === 'failed') return failed(engine, request, end)
  if (transaction !== '') return settled(engine, request, transaction)`,
      },
    ],
  },
  {
    name: 'joiner-is-told-408',
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
        find: "if (error instanceof HandlerOverran && job.state === 'running') {",
        replace: "if (error instanceof HandlerOverran && job.state === ('never' as string)) {",
      },
    ],
  },
  {
    name: 'claim-not-judged-again',
    breaks: 'what a claim finds is looked at again: here it is run',
    edits: [
      {
        file: `${agent}/execute/claim-job.ts`,
        find: 'if (mayRun(outcome.job, order, payment)) return await renewRun(held, job)',
        replace: 'if (mayRun(job, order, payment)) return await renewRun(held, job)',
      },
    ],
  },
  {
    name: 'no-reconciler',
    breaks: 'the ledger follows the chain: here it does not',
    edits: [
      {
        file: `${facilitator}/reconcile.ts`,
        find: 'await reconcile(parts, missing)',
        replace: 'await Promise.resolve(missing)',
      },
    ],
  },
  {
    name: 'nonce-not-checked',
    breaks: 'a bound payment is good for its job alone: here for any',
    edits: [
      {
        file: `${payments}/nonce-binding.ts`,
        find: 'if (!nonce.startsWith(MAGIC_HEX)) return undefined',
        replace: 'if (nonce !== salt) return undefined',
      },
    ],
  },
  {
    name: 'client-timeout-is-free',
    breaks: 'a paid call without an answer is unresolved: here our client says that nobody was reached',
    edits: [
      {
        file: `${client}/repeat-until-answered.ts`,
        find: "return { outcome: { kind: 'unavailable', reason }, cause }",
        replace:
          "if (reason !== 'never') throw cause\n    return { outcome: { kind: 'unavailable', reason }, cause }",
      },
    ],
  },
]
