import { randomUUID } from 'node:crypto'
import type { CheckContext } from '../../check/context.ts'
import { describeReply, expectCompleted, expectThat } from '../../exchange/expectations.ts'
import type { Reply } from '../../exchange/send-request.ts'

/** Throws a `Mismatch` unless both responses are the same 200, including the receipt (D24). */
export function expectSame(reply: Reply, first: Reply): void {
  expectThat(
    reply.status === 200 && reply.text === first.text,
    'the very bytes of the first answer',
    describeReply(reply),
  )
  const receipt = reply.headers.get('payment-response')
  expectThat(
    receipt === first.headers.get('payment-response'),
    'the same PAYMENT-RESPONSE',
    receipt ?? undefined,
  )
}

/** A paid job of the fixture that takes a given time; it can be requested as often as needed. */
export async function slowJob(
  context: CheckContext,
  ms: number,
): Promise<{
  readonly key: string
  readonly wish: {
    readonly capability: string
    readonly jobId: string
    readonly input: object
    readonly payment?: string
  }
}> {
  const jobId = randomUUID()
  const key = randomUUID()
  const payment = await context.pay(jobId, 'slow')
  return {
    key,
    wish: { capability: 'slow', jobId, input: { ms, key }, ...(payment !== undefined && { payment }) },
  }
}

/** Returns how often the fixture's handlers ran for a key. */
export async function runsOf(context: CheckContext, key: string): Promise<unknown> {
  return expectCompleted(await context.runJob({ capability: 'count', input: { key } }))['runs']
}
