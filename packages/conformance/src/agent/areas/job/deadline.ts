import { randomUUID } from 'node:crypto'
import { needsFixture, NEEDS, type Check } from '../../check/check.ts'
import { postJob, type CheckContext, type JobWish } from '../../check/context.ts'
import { expectCompleted, expectEqual, expectFailure, expectThat } from '../../exchange/expectations.ts'
import { forgeHeader, signedHeader } from '../../check/forge-payment.ts'
import type { Reply } from '../../exchange/send-request.ts'

/** Enough time for a request to arrive before its deadline, even on a busy machine. */
const SOON_SECONDS = 0.4
/**
 * Much longer than {@link SOON_SECONDS}, because a busy machine may be late itself. No check waits for such a handler to
 * end.
 */
const TOO_LONG_MS = 3_000
/** The same for a handler that blocks the process. It is shorter, because every other request waits for it. */
const BLOCKS_MS = 700
/** A response at the deadline is at least this much earlier than the end of the handler. */
const EARLIER_MS = 1_000
/** The tolerated difference between timers and clocks. */
const TIMER_MS = 50
/** After the deadline of a job that was completed in time. */
const LATER_MS = 1_100

/** The deadline (interface, Processing 4; D16, D17). */
export const DEADLINE_CHECKS: readonly Check[] = [
  ...(
    [
      ['a second ago', context => context.nowSeconds() - 1],
      ['at the epoch', () => 0],
      ['before the epoch', () => -1.5],
    ] as const satisfies readonly (readonly [string, (context: CheckContext) => number])[]
  ).map(([name, deadline]): Check => ({
    id: `deadline/${name}`,
    rules: ['interface Processing 4', 'DDL-01', 'DDL-06'],
    title: `A deadline ${name} is answered 408`,
    fix: 'Compare the deadline with the clock before anything runs, and answer 408 deadline where it has passed.',
    needs: { ...NEEDS.nothing, modes: ['dev', 'paid'] },
    async run(context) {
      const payment = context.mode === 'paid' ? await forgeHeader(context) : undefined
      expectFailure(
        await postJob(context, await context.jobBody({ deadline: deadline(context) }), payment),
        408,
        'deadline',
      )
    },
  })),
  fixture(
    'slow',
    ['DDL-02', 'D17'],
    'A handler that ignores the deadline is answered 408 at the deadline',
    'Race the handler against a timer.',
    0,
    async context => {
      const startedSeconds = context.nowSeconds()
      expectFailure(await late(context, 'slow'), 408, 'deadline')
      const tookMs = (context.nowSeconds() - startedSeconds) * 1_000
      expectThat(
        tookMs < TOO_LONG_MS - EARLIER_MS,
        `an answer within ${TOO_LONG_MS - EARLIER_MS} ms`,
        `${Math.round(tookMs)} ms`,
      )
    },
  ),
  fixture(
    'blocking',
    ['DDL-03', 'D17'],
    'A handler that blocks past the deadline is answered 408, not 200',
    'Read the clock again after the handler returns.',
    0,
    async context => void expectFailure(await late(context, 'block', { ms: BLOCKS_MS }), 408, 'deadline'),
  ),
  fixture(
    'abort',
    ['D17'],
    'The handler’s signal aborts at the deadline',
    'Hand the handler an AbortSignal and abort it.',
    1,
    async context => {
      const key = randomUUID()
      expectFailure(await late(context, 'slow', { key, heeds: true }), 408, 'deadline')
      expectEqual((await count(context, key))['aborted'], 1, 'aborted')
    },
  ),
  fixture(
    'no abort',
    ['D17'],
    'The handler’s signal stays silent when the job is done in time',
    'Clear the timer when the handler returns.',
    3,
    async context => {
      const key = randomUUID()
      const input = { ms: 1, key }
      const deadline = context.nowSeconds() + 1
      expectCompleted(await context.runJob({ capability: 'slow', input, deadline }))
      // A timer that was not cancelled would have fired before this one.
      expectCompleted(await context.runJob({ capability: 'slow', input: { ms: LATER_MS } }))
      expectEqual((await count(context, key))['aborted'], 0, 'aborted')
    },
  ),
  fixture(
    'still running',
    ['D24', 'IDM-08'],
    'While an attempt that missed its deadline still runs, a retry waits for its end or is answered 503, and never 408',
    'Keep the job claimed until the handler has ended, let the retry wait as long as its own deadline allows, and answer 503 with Retry-After where that is not long enough.',
    1,
    async context => {
      const jobId = randomUUID()
      const key = randomUUID()
      const payment = await context.pay(jobId, 'slow')
      const wish = { jobId, ...(payment !== undefined && { payment }) }
      const startedSeconds = context.nowSeconds()
      expectFailure(await late(context, 'slow', { key }, wish), 408, 'deadline')
      const again = await context.runJob({ ...wish, capability: 'slow', input: { ms: 1, key } })
      if (again.status === 503) {
        expectThat(again.headers.has('retry-after'), 'a Retry-After header', 'none')
        expectEqual((await count(context, key))['runs'], 1, 'runs')
        return
      }
      expectCompleted(again)
      const tookMs = (context.nowSeconds() - startedSeconds) * 1_000
      expectThat(
        tookMs >= TOO_LONG_MS - TIMER_MS,
        `a run after the first attempt's end, ${TOO_LONG_MS} ms after its start`,
        `${Math.round(tookMs)} ms`,
      )
    },
  ),
  fixture(
    'retry after a deadline',
    ['D24', 'IDM-07'],
    'A job that missed its deadline may be asked for again',
    'Store no failure.',
    1,
    async context => {
      const jobId = randomUUID()
      const payment = await context.pay(jobId, 'slow')
      const wish = { jobId, ...(payment !== undefined && { payment }) }
      expectFailure(await late(context, 'slow', { heeds: true }, wish), 408, 'deadline')
      const again = await retryWhileRunning(() =>
        context.runJob({ ...wish, capability: 'slow', input: { ms: 1 } }),
      )
      expectCompleted(again)
    },
  ),
  fixture(
    'far',
    ['D17', 'DDL-07'],
    'A deadline in a thousand years is kept, not fired at once',
    'Stay below 2^31 ms with every timer.',
    1,
    async context => {
      const deadline = context.nowSeconds() + 3e10
      expectCompleted(await context.runJob({ capability: 'slow', input: { ms: 20 }, deadline }))
    },
  ),
  {
    id: 'deadline/payment ends first',
    rules: ['D17'],
    title: 'A payment that ends before the deadline makes the deadline earlier: 10 s are left to settle',
    fix: 'Take the earlier of deadline and validBefore − 10 s.',
    needs: needsFixture(0, { modes: ['paid'] }),
    async run(context) {
      const jobId = randomUUID()
      const { signer } = context.payer()
      const terms = await context.terms('slow')
      // Deadlines are whole seconds, so between half a second and one and a half seconds are left.
      const validBefore = Math.ceil(context.nowSeconds() + 0.5) + 10
      const payment = await signedHeader(context, { signer, terms, jobId, validBefore })
      const reply = await context.runJob({ capability: 'slow', jobId, input: { ms: 5_000 }, payment })
      expectFailure(reply, 408, 'deadline')
      expectThat(
        context.nowSeconds() < validBefore - 10 + 2,
        'an answer 10 s before the payment ends',
        'a later one',
      )
    },
  },
]

function fixture(
  name: string,
  rules: readonly string[],
  title: string,
  fix: string,
  jobs: number,
  run: Check['run'],
): Check {
  return { id: `deadline/${name}`, rules, title, fix, needs: needsFixture(jobs), run }
}

/** A job whose handler takes longer than its deadline allows. */
async function late(
  context: CheckContext,
  capability: string,
  input: object = {},
  wish: JobWish = {},
): Promise<Reply> {
  const deadline = context.nowSeconds() + SOON_SECONDS
  return await context.runJob({ ...wish, capability, input: { ms: TOO_LONG_MS, ...input }, deadline })
}

async function count(context: CheckContext, key: string): Promise<{ readonly [name: string]: unknown }> {
  return expectCompleted(await context.runJob({ capability: 'count', input: { key } }))
}

/**
 * Repeats the request while the job runs: a handler that obeys its signal ends soon, but not in the same turn of the event
 * loop.
 */
async function retryWhileRunning(ask: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const reply = await ask()
    if (reply.status !== 503) return reply
  }
  return await ask()
}
