import { randomUUID } from 'node:crypto'
import { decodeHeader } from '@farebox/payments/x402/payment-header'
import { needsFixture, NEEDS, type Check } from '../../check/check.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'
import type { CheckContext } from '../../check/context.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import {
  describeReply,
  expectCompleted,
  expectEqual,
  expectFailure,
  expectKeys,
  expectStatus,
  expectThat,
} from '../../exchange/expectations.ts'
import type { ScriptedGate } from '../../check/scripted-gate.ts'
import type { Reply } from '../../exchange/send-request.ts'

/** Settlement of payments (D7, D8, D11, D12, D22). */
export const SETTLEMENT_CHECKS: readonly Check[] = [
  {
    id: 'settlement/receipt',
    rules: ['D7'],
    title: 'A delivered job carries PAYMENT-RESPONSE: the proven transfer',
    fix: 'Send PAYMENT-RESPONSE with the 200: base64 of {success: true, transaction, network, payer}, once the transfer is in a block.',
    needs: NEEDS.paidJob,
    async run(context) {
      const { reply } = await context.delivered()
      const receipt = expectReceipt(reply)
      expectEqual(receipt['success'], true, 'success')
      expectThat(
        /^0x[0-9a-f]{64}$/i.test(String(receipt['transaction'])),
        'a transaction hash',
        receipt['transaction'],
      )
      expectEqual(receipt['network'], (await context.terms()).network.id, 'network')
      expectEqual(
        String(receipt['payer']).toLowerCase(),
        context.payer().signer.address.toLowerCase(),
        'payer',
      )
    },
  },
  scripted(
    'refused',
    ['D14', 'interface Errors'],
    'A payment the facilitator refuses is answered 402, the handler not run',
    1,
    async (context, gate) => {
      gate.failVerify('invalid')
      await expectNotRun(context, gate, reply => expectFailure(reply, 402, 'payment'))
    },
  ),
  scripted(
    'unauthorized',
    ['D11'],
    'A secret the facilitator refuses is answered 401, the handler not run',
    1,
    async (context, gate) => {
      gate.failVerify('unauthorized')
      await expectNotRun(context, gate, reply =>
        expectFailure(
          reply,
          401,
          'payment',
          /^FACILITATOR_SECRET is missing or was refused by the facilitator$/,
        ),
      )
    },
  ),
  scripted(
    'facilitator away',
    ['D12', 'PAY-19'],
    'Without a verdict the answer is 500, the handler not run',
    1,
    async (context, gate) => {
      gate.failVerify('unavailable')
      await expectNotRun(context, gate, reply => expectFailure(reply, 500, 'internal'))
      expectStatus(await context.send({ method: 'GET', path: '/health' }), 200)
    },
  ),
  scripted(
    'verify retried',
    ['D24', 'IDM-07'],
    'After a payment could not be verified the same job and payment go through',
    1,
    async (context, gate) => {
      const ask = await jobAgain(context)
      gate.failVerify('unavailable')
      expectStatus(await ask(), 500)
      expectCompleted(await ask())
    },
  ),
  scripted(
    'failures are free',
    ['interface Job status', 'I5'],
    'Jobs that fail are never charged',
    0,
    async (context, gate) => {
      const { settleCalls } = gate.counts()
      expectStatus(await context.runJob({ capability: 'echo', input: { text: '' } }), 400)
      expectStatus(await context.runJob({ capability: 'fail', input: { kind: 'error' } }), 500)
      expectStatus(await context.runJob({ capability: 'violate', input: { kind: 'missing' } }), 500)
      expectStatus(
        await context.runJob({
          capability: 'slow',
          input: { ms: 300 },
          deadline: context.nowSeconds() + 0.1,
        }),
        408,
      )
      expectEqual(gate.counts().settleCalls, settleCalls, 'settlements asked for')
    },
  ),
  scripted(
    'unknown',
    ['D8', 'PAY-14'],
    'A settlement that is unknown is asked for again until it is known',
    1,
    async (context, gate) => {
      const { charged } = gate.counts()
      gate.failSettle('unknown')
      expectCompleted(await context.runJob({ capability: 'echo', input: { text: 'a' } }))
      expectEqual(gate.counts().charged, charged + 1, 'payments charged')
    },
  ),
  scripted(
    'pending',
    ['D8', 'PAY-13'],
    'While money may still move the answer is 503 pending, never 402 or 500',
    1,
    async (context, gate) => {
      const key = randomUUID()
      const ask = await jobAgain(context, { text: 'a', key })
      gate.failSettle('unknown', 'unknown', 'unknown')
      const pending: Reply[] = []
      let reply = await ask()
      for (; reply.status === 503; reply = await ask()) pending.push(reply)
      expectThat(pending.length > 0, '503 while it is unknown', describeReply(reply))
      for (const one of pending) expectPending(one)
      expectCompleted(reply)
      expectEqual(await runsOf(context, key), 1, 'runs')
    },
  ),
  scripted(
    'failed',
    ['D7', 'D22', 'PAY-12'],
    'A settlement that failed is answered 402 with PAYMENT-RESPONSE, without the output',
    0,
    async (context, gate) => {
      gate.failSettle('failed')
      const reply = await context.runJob({ capability: 'echo', input: { text: 'unpaid-for' } })
      expectFailure(reply, 402, 'payment')
      expectEqual(expectReceipt(reply)['success'], false, 'success')
      expectThat(!reply.text.includes('unpaid-for'), 'no output', reply.text)
    },
  ),
  scripted(
    'failed, then the same',
    ['D22'],
    'A payment that failed is not tried again',
    0,
    async (context, gate) => {
      const ask = await jobAgain(context)
      gate.failSettle('failed')
      expectFailure(await ask(), 402, 'payment')
      const { settleCalls } = gate.counts()
      expectFailure(await ask(), 402, 'payment')
      expectEqual(gate.counts().settleCalls, settleCalls, 'settlements asked for')
    },
  ),
  scripted(
    'failed, then paid',
    ['D22', 'PAY-12'],
    'A new payment by the same payer buys the stored response, the handler not run again',
    2,
    async (context, gate) => {
      const jobId = randomUUID()
      const key = randomUUID()
      const wish = { capability: 'echo', jobId, input: { text: 'a', key } }
      gate.failSettle('failed')
      expectFailure(await context.runJob(wish), 402, 'payment')
      expectCompleted(await context.runJob(wish))
      expectEqual(await runsOf(context, key), 1, 'runs')
    },
  ),
]

function scripted(
  name: string,
  rules: readonly string[],
  title: string,
  jobs: number,
  run: (context: CheckContext, gate: ScriptedGate) => Promise<void>,
): Check {
  return {
    id: `settlement/${name}`,
    rules,
    title,
    fix: 'Verify, run, save, settle, answer, in this order; let unknown stay unknown until it is known.',
    needs: needsFixture(jobs, { modes: ['paid'], knows: ['fixture', 'gate'] }),
    async run(context) {
      const { gate } = context.known
      if (gate === undefined) throw new NotApplicable('knowledge', 'it needs the agent’s gate')
      await run(context, gate)
    },
  }
}

async function expectNotRun(
  context: CheckContext,
  gate: ScriptedGate,
  expectReply: (reply: Reply) => unknown,
): Promise<void> {
  const key = randomUUID()
  const { settleCalls } = gate.counts()
  expectReply(await context.runJob({ capability: 'echo', input: { text: 'a', key } }))
  expectEqual(gate.counts().settleCalls, settleCalls, 'settlements asked for')
  expectEqual(await runsOf(context, key), 0, 'runs')
}

async function runsOf(context: CheckContext, key: string): Promise<unknown> {
  return expectCompleted(await context.runJob({ capability: 'count', input: { key } }))['runs']
}

/** Returns a function that requests the same job with the same payment on each call. */
async function jobAgain(context: CheckContext, input: object = { text: 'a' }): Promise<() => Promise<Reply>> {
  const jobId = randomUUID()
  const payment = await context.pay(jobId, 'echo')
  return () => context.runJob({ capability: 'echo', jobId, input, ...(payment !== undefined && { payment }) })
}

function expectPending(reply: Reply): void {
  const body = expectKeys(reply.json, ['status', 'job_id', 'error', 'service_version'], 'the pending body')
  expectEqual(body['status'], 'pending', 'status')
  const after = reply.headers.get('retry-after')
  expectThat(/^\d+$/.test(after ?? ''), 'Retry-After in seconds', after ?? undefined)
}

function expectReceipt(reply: Reply): { readonly [key: string]: unknown } {
  const receipt = decodeHeader(reply.headers.get('payment-response') ?? '')
  expectThat(
    isObject(receipt),
    'a PAYMENT-RESPONSE header of base64 JSON',
    reply.headers.get('payment-response') ?? undefined,
  )
  return receipt
}
