import { randomUUID } from 'node:crypto'
import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { needsFixture, NEEDS, type Check, type Needs } from '../../check/check.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'
import { postJob, type CheckContext, type DeliveredJob } from '../../check/context.ts'
import { expectCompleted, expectEqual, expectFailure, expectThat } from '../../exchange/expectations.ts'
import { forgeHeader } from '../../check/forge-payment.ts'
import { expectSame, runsOf, slowJob } from './repeats.ts'
import type { Reply } from '../../exchange/send-request.ts'

const STORED = 'Look the job_id up before anything runs, and answer the stored bytes for ten minutes.'

/** One job_id is one job (interface, Processing 6; D16, D22, D23, D24). */
export const IDEMPOTENCY_CHECKS: readonly Check[] = [
  {
    id: 'idempotency/same bytes',
    rules: ['interface Processing 6', 'D24', 'IDM-13'],
    title: 'A repeat gets the same bytes, completed_at and PAYMENT-RESPONSE included',
    fix: STORED,
    needs: NEEDS.deliveredJob,
    async run(context) {
      const job = await context.delivered()
      expectSame(await repeat(context, job), job.reply)
    },
  },
  {
    id: 'idempotency/capitals',
    rules: ['D16', 'IDM-05'],
    title: 'A job_id in capitals is the same job',
    fix: 'Compare job_ids case-folded.',
    needs: NEEDS.deliveredJob,
    async run(context) {
      const job = await context.delivered()
      expectSame(await repeat(context, { ...job, jobId: job.jobId.toUpperCase() }), job.reply)
    },
  },
  {
    id: 'idempotency/past deadline',
    rules: ['D14', 'IDM-14'],
    title: 'A repeat whose deadline has passed gets the stored response',
    fix: 'Look for a stored response before looking at the deadline.',
    needs: NEEDS.deliveredJob,
    async run(context) {
      const job = await context.delivered()
      expectSame(await repeat(context, job, { deadline: 1 }), job.reply)
    },
  },
  {
    id: 'idempotency/other input',
    rules: ['D22', 'IDM-02'],
    title: 'A repeat with another input gets the stored response, and nothing runs',
    fix: STORED,
    needs: NEEDS.deliveredJob,
    async run(context) {
      const job = await context.delivered()
      expectSame(await repeat(context, job, { input: {} }), job.reply)
    },
  },
  {
    id: 'idempotency/other payer',
    rules: ['D22', 'IDM-01'],
    title: 'Another payer never gets the output',
    fix: 'Keep the payer with the response, and answer 402 to every other one.',
    needs: NEEDS.paidJob,
    async run(context) {
      const { jobId, reply } = await context.delivered()
      const refused = await postJob(context, await context.jobBody({ jobId }), await forgeHeader(context))
      expectFailure(refused, 402, 'payment')
      expectThat(!refused.text.includes(JSON.stringify(expectCompleted(reply))), 'no output', refused.text)
    },
  },
  {
    id: 'idempotency/another job',
    rules: ['D6', 'PAY-04'],
    title: 'A payment that bought one job buys no other',
    fix: 'Claim the payment (chain, asset, from, nonce) together with the job, for longer than it is valid.',
    needs: NEEDS.paidJob,
    async run(context) {
      const { payment } = await context.delivered()
      expectFailure(await postJob(context, await context.jobBody(), payment), 402, 'payment')
    },
  },
  {
    id: 'idempotency/new payment',
    rules: ['D22', 'PAY-37'],
    title: 'A repeat with a new payment gets the stored response, and the new payment is not charged',
    fix: 'Serve the stored response to its payer before looking at what the payment is worth.',
    needs: { ...NEEDS.paidJob, knows: ['gate'] },
    async run(context) {
      const job = await context.delivered()
      const before = context.known.gate?.counts().charged
      const payment = await context.pay(job.jobId)
      expectSame(await repeat(context, { ...job, payment }), job.reply)
      expectEqual(context.known.gate?.counts().charged, before, 'payments charged')
    },
  },
  fixture(
    'runs once',
    ['interface Processing 6', 'I6'],
    'A repeat does not run the handler',
    2,
    async context => {
      const { wish, key } = await slowJob(context, 1)
      const first = await context.runJob(wish)
      expectCompleted(first)
      expectSame(await context.runJob(wish), first)
      expectEqual(await runsOf(context, key), 1, 'runs')
    },
  ),
  fixture(
    'echoed as sent',
    ['D16', 'interface Job success response'],
    'job_id is echoed as it was sent',
    1,
    async context => {
      const jobId = randomUUID().toUpperCase()
      const reply = await context.runJob({ capability: 'echo', jobId, input: { text: 'a' } })
      expectCompleted(reply)
      expectEqual((reply.json as { job_id?: unknown }).job_id, jobId, 'job_id')
    },
  ),
  fixture(
    'poison',
    ['I8', 'IDM-06'],
    'A forged payment with a victim’s job_id leaves no trace',
    1,
    async context => {
      const jobId = randomUUID()
      if (context.mode === 'paid') {
        expectFailure(
          await context.runJob({
            capability: 'echo',
            jobId,
            input: { text: 'a' },
            payment: await forgeHeader(context),
          }),
          402,
          'payment',
        )
      }
      expectCompleted(await context.runJob({ capability: 'echo', jobId, input: { text: 'a' } }))
    },
  ),
  {
    id: 'idempotency/forgotten',
    rules: ['interface Processing 6', 'D24', 'IDM-09'],
    title: 'The response is kept for ten minutes, then the handler runs again',
    fix: 'Forget a settled response ten minutes after its settlement.',
    needs: needsFixture(3, { knows: ['fixture', 'advance'] }),
    async run(context) {
      const { advance } = context.known
      if (advance === undefined) throw new NotApplicable('knowledge', 'it needs the agent’s clock')
      const jobId = randomUUID()
      const key = randomUUID()
      const ask = (): Promise<Reply> =>
        context.runJob({ capability: 'echo', jobId, input: { text: 'a', key } })
      const first = await ask()
      expectCompleted(first)
      await advance((RESPONSE_KEPT_SECONDS - 5) * 1_000)
      expectSame(await ask(), first)
      await advance(10_000)
      expectCompleted(await ask())
      expectEqual(await runsOf(context, key), 2, 'runs')
    },
  },
]

function fixture(
  name: string,
  rules: readonly string[],
  title: string,
  jobs: number,
  run: Check['run'],
  modes: Needs['modes'] = ['dev', 'paid'],
): Check {
  return { id: `idempotency/${name}`, rules, title, fix: STORED, needs: needsFixture(jobs, { modes }), run }
}

/** Requests the same job with the same payment, except for the given changes. */
async function repeat(
  context: CheckContext,
  job: Pick<DeliveredJob, 'jobId' | 'input' | 'payment'>,
  changes: { readonly deadline?: number; readonly input?: object } = {},
): Promise<Reply> {
  const { jobId, input, payment } = job
  return await postJob(context, await context.jobBody({ jobId, input, ...changes }), payment)
}
