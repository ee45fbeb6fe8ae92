import { randomUUID } from 'node:crypto'
import { needsFixture, type Check, type Needs } from '../../check/check.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'
import { expectSame, runsOf, slowJob } from './repeats.ts'
import type { CheckContext } from '../../check/context.ts'
import { expectCompleted, expectEqual, expectFailure, expectThat } from '../../exchange/expectations.ts'
import { forgeHeader } from '../../check/forge-payment.ts'
import { rawRequest, sendAndLeave } from '../../check/raw-request.ts'

const CLAIM = 'Claim job and payment together, atomically, and let repeats of a running job wait for it.'

/** Concurrent requests: repeats of a running job, one payment for several jobs, callers that disconnect (D6, D23). */
export const CONCURRENCY_CHECKS: readonly Check[] = [
  fixture(
    'together',
    ['D23', 'PAY-03', 'IDM-03'],
    'Repeats while the first is in flight join it: same bytes, one run',
    2,
    async context => {
      const { wish, key } = await slowJob(context, 150)
      const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => context.runJob(wish)))
      if (first === undefined) throw new NotApplicable('agent', 'nothing was sent')
      expectCompleted(first)
      for (const other of others) expectSame(other, first)
      expectEqual(await runsOf(context, key), 1, 'runs')
    },
  ),
  {
    id: 'concurrency/caller gone',
    rules: ['DDL-12', 'PAY-15', 'I4'],
    title: 'A job whose caller hung up is finished, and waits for the caller’s return',
    fix: 'Do not tie the job to the connection it came by.',
    needs: needsFixture(2, { socket: true }),
    async run(context) {
      const { wish, key } = await slowJob(context, 300)
      const { payment, ...job } = wish
      const body = JSON.stringify(await context.jobBody(job))
      const headers = [
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...(payment === undefined ? [] : [`PAYMENT-SIGNATURE: ${payment}`]),
      ]
      await sendAndLeave(
        context.baseUrl,
        rawRequest(context.baseUrl, { line: 'POST /execute HTTP/1.1', headers, body }),
      )
      await waitForRun(context, key)
      expectCompleted(await context.runJob(wish))
      expectEqual(await runsOf(context, key), 1, 'runs')
    },
  },
  fixture(
    'joiner in a hurry',
    ['D23'],
    'A joiner whose own deadline ends first gets 408, the first its output',
    2,
    async context => {
      const { wish, key } = await slowJob(context, 600)
      const first = context.runJob(wish)
      await waitForRun(context, key)
      expectFailure(await context.runJob({ ...wish, deadline: context.nowSeconds() + 0.2 }), 408, 'deadline')
      expectCompleted(await first)
    },
  ),
  fixture(
    'one payment, many jobs',
    ['D6', 'PAY-01'],
    'One payment sent with many jobs at once buys exactly one',
    2,
    async context => {
      const { signer } = context.payer()
      const key = randomUUID()
      const payment = await forgeHeader(context, { signer, capability: 'slow' })
      const wishes = Array.from({ length: 8 }, () => ({
        capability: 'slow',
        input: { ms: 50, key },
        payment,
      }))
      const replies = await Promise.all(wishes.map(wish => context.runJob(wish)))
      const delivered = replies.filter(({ status }) => status === 200)
      expectThat(delivered.length === 1, 'one 200', replies.map(({ status }) => status).join(', '))
      for (const reply of replies) if (reply.status !== 200) expectFailure(reply, 402, 'payment')
      expectEqual(await runsOf(context, key), 1, 'runs')
    },
    ['paid'],
  ),
  fixture(
    'same price, other capability',
    ['PAY-06', 'D6'],
    'A payment used for one capability is not good for another of the same price',
    1,
    async context => {
      const payment = await forgeHeader(context, { signer: context.payer().signer, capability: 'echo' })
      expectCompleted(await context.runJob({ capability: 'echo', input: { text: 'a' }, payment }))
      expectFailure(await context.runJob({ capability: 'slow', input: { ms: 1 }, payment }), 402, 'payment')
    },
    ['paid'],
  ),
]

function fixture(
  name: string,
  rules: readonly string[],
  title: string,
  jobs: number,
  run: Check['run'],
  modes: Needs['modes'] = ['dev', 'paid'],
): Check {
  return { id: `concurrency/${name}`, rules, title, fix: CLAIM, needs: needsFixture(jobs, { modes }), run }
}

/** Waits until the abandoned job has begun. If it never begins, the checks that follow fail. */
async function waitForRun(context: CheckContext, key: string): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) if ((await runsOf(context, key)) === 1) return
}
