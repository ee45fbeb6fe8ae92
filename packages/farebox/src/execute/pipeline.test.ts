import { randomUUID } from 'node:crypto'
import { PaymentError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { stageAgent, type Stage, type Work } from './paid-stage.test-setup.ts'
import { UNKNOWN } from './scripted-gate.test-setup.ts'
import { stageDeclaration } from './staged-payment.test-setup.ts'
import { after, receiptOf, type Answered, type Asked } from './staged-request.test-setup.ts'

const GONE_WRONG = 'nothing may be held, run, or written'

describe('the order of a paid job', () => {
  test('D6, D7 claim before verify before handler before save before settle before the answer', async () => {
    const stage = await stageAgent()
    const answer = await stage.post()
    expect(stage.calls).toEqual([
      'read',
      'claim',
      'verify',
      'handler',
      'hold saved',
      'settle',
      'leave settled',
    ])
    expect(answer).toMatchObject({
      status: 200,
      json: { service_version: '1.0', status: 'completed', output: { text: 'hi' } },
    })
    const receipt = receiptOf(answer) as { [name: string]: string }
    expect(Object.keys(receipt)).toEqual(['success', 'transaction', 'network', 'payer', 'amount'])
    expect(receipt['amount']).toBe('10000')
    const paid = stage.logs().find(line => line.startsWith('payment verified'))
    expect(paid).toMatch(
      new RegExp(` payer=${receipt['payer']} amount=0\\.01 trace=[0-9a-f]{32} key=84532:\\S+$`),
    )
  })

  test('D27 a job that settles after its caller got a 503 is logged as completed at that time', async () => {
    const stage = await stageAgent({ settleWaitMs: 100 })
    const jobId = randomUUID()
    stage.gate.settles.push(UNKNOWN)
    expect((await after(stage.clock, 100, stage.post({ jobId }))).status).toBe(503)
    expect(stage.logs().filter(line => line.startsWith('completed'))).toEqual([])
    await stage.clock.advance(5_000)
    expect(stage.logs()).toContainEqual(
      expect.stringMatching(
        new RegExp(`^completed job=${jobId} transaction=0x[0-9a-f]{64} trace=[0-9a-f]{32} key=\\S+$`),
      ),
    )
  })

  test('D27 a refused job is logged with its reason, in one line; an invalid order is not logged', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    const tooLong = 'x'.repeat(21)
    await stage.post({ jobId, input: { text: tooLong } })
    await stage.post({ jobId, deadline: 1 })
    stage.work = () => {
      throw new ValidationError('text', 'says "no"')
    }
    await stage.post({ jobId })
    stage.gate.verifies.push({ kind: 'invalid', reason: 'insufficient_funds', message: 'too little' })
    await stage.post({ jobId })
    await stage.post({ jobId: 'no job' })
    await stage.post({ jobId, capability: 'none' })
    const refused = stage.logs().filter(line => line.startsWith('refused'))
    for (const line of refused) expect(line).toMatch(/ trace=[0-9a-f]{32} key=\S+$/)
    expect(refused.map(line => line.replace(/ trace=.*/, ''))).toEqual([
      `refused job=${jobId} status=400 error_type=validation reason="text: must be at most 20 characters, got 21"`,
      `refused job=${jobId} status=408 error_type=deadline reason="the deadline has passed"`,
      `refused job=${jobId} status=400 error_type=validation reason="text: says \\"no\\""`,
      `refused job=${jobId} status=402 error_type=payment reason="too little"`,
    ])
  })

  test('D26 a fault of the handler or of the agent has its own line, and no second one', async () => {
    const stage = await stageAgent()
    stage.work = () => {
      throw new Error('broken')
    }
    await stage.post()
    const lines = stage.logs().join('\n')
    expect(lines).toMatch(/^handler error: broken job=/m)
    expect(lines).not.toMatch(/^refused/m)
  })
})

describe('D39 an output that some readers would refuse', () => {
  test.each([
    [
      'is larger than 5 MiB as a whole',
      { text: 'é'.repeat(2_621_440) },
      /at most 5242880 bytes .*, got 52430\d\d /,
    ],
    [
      'is nested deeper than 64 levels as a whole',
      { text: 'a', deep: nested(63) },
      /at most 64 deep .* bytes /,
    ],
  ])('is not saved and not charged: a response that %s', async (_, output, line) => {
    const stage = await stageAgent({ declaration: DEEP })
    stage.work = () => output
    const answer = await stage.post()
    expect(answer.status).toBe(500)
    expect(answer.json).toMatchObject({ error_type: 'internal', error: 'Internal error' })
    expect(stage.calls).not.toContain('settle')
    expect(stage.calls.filter(call => call.includes('saved'))).toEqual([])
    expect(stage.logs().find(text => text.includes('output refused'))).toMatch(line)
    expect(stage.logs().join('\n')).not.toContain('output valid')
  })

  test('is charged and delivered at exactly the limits of 5 MiB and 64 levels', async () => {
    for (const output of [{ text: 'a'.repeat(5_242_880 - 200) }, { text: 'a', deep: nested(62) }]) {
      const stage = await stageAgent({ declaration: DEEP })
      stage.work = () => output
      expect((await stage.post()).json).toMatchObject({ status: 'completed' })
    }
  })
})

const { work } = stageDeclaration.capabilities
const DEEP = {
  ...stageDeclaration,
  capabilities: {
    ...stageDeclaration.capabilities,
    work: { ...work, output_schema: { ...work.output_schema, deep: { type: 'array', required: false } } },
  },
} as const satisfies Declaration

function nested(levels: number): unknown {
  let value: unknown = 'x'.repeat(300)
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

describe('a refused request costs nothing', () => {
  test.each<readonly [string, Asked, number, string]>([
    [
      'PAY-35 two payments',
      { payment: 'e30=', headers: { 'x-payment': 'e30=' } },
      402,
      'send one payment header',
    ],
    ['DDL-01 a deadline in the past', { deadline: 1_700_000_000 }, 408, 'the deadline has passed'],
  ])('%s', async (_, asked, status, error) => {
    const stage = await stageAgent()
    const answer = await stage.post(asked)
    expect(answer).toMatchObject({
      status,
      json: { status: 'failed', error: expect.stringContaining(error), service_version: '1.0' },
    })
    expect(
      stage.calls.filter(call => call !== 'read' && call !== 'inquire'),
      GONE_WRONG,
    ).toEqual([])
  })

  test('I8, IDM-06 a request without a proven payer does not read the store', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    const envelope = JSON.parse(Buffer.from(await stage.sign({ jobId }), 'base64').toString()) as {
      payload: { signature: string }
    }
    const { signature } = envelope.payload
    const first = (Number.parseInt(signature.slice(2, 4), 16) ^ 1).toString(16).padStart(2, '0')
    const forged = {
      ...envelope,
      payload: { ...envelope.payload, signature: `0x${first}${signature.slice(4)}` },
    }
    const answer = await stage.post({
      jobId,
      payment: Buffer.from(JSON.stringify(forged)).toString('base64'),
    })
    expect(answer.status).toBe(402)
    expect(stage.calls).toEqual([])
    expect((await stage.post({ jobId })).status).toBe(200)
  })
})

describe('D13 a payment bound to a job is valid only for that job', () => {
  async function payBoundTo(
    stage: Stage,
    bound: { readonly endpoint?: string; readonly jobId?: string; readonly capability?: 'work' | 'cheap' },
  ): Promise<number> {
    return (await orderBoundTo(stage, bound)).status
  }

  async function orderBoundTo(
    stage: Stage,
    bound: { readonly endpoint?: string; readonly jobId?: string; readonly capability?: 'work' | 'cheap' },
  ): Promise<Answered> {
    const jobId = randomUUID()
    const payment = await stage.sign({ jobId, ...bound })
    return await stage.post({ jobId, capability: bound.capability ?? 'work', payment })
  }

  test('without SERVICE_PUBLIC_URL the called URL counts, with http or, behind a proxy, https', async () => {
    const stage = await stageAgent()
    expect(await payBoundTo(stage, { endpoint: 'http://agent.test/execute' })).toBe(200)
    expect(await payBoundTo(stage, { endpoint: 'https://agent.test/execute' })).toBe(200)
    expect(await payBoundTo(stage, { endpoint: 'https://other.test/execute' })).toBe(402)
  })

  test('only SERVICE_PUBLIC_URL counts when it is set, whichever URL was called', async () => {
    const stage = await stageAgent({ variables: { SERVICE_PUBLIC_URL: 'https://farebox.example/stage/' } })
    expect(await payBoundTo(stage, { endpoint: 'https://farebox.example/stage/execute' })).toBe(200)
    expect(await payBoundTo(stage, { endpoint: 'http://agent.test/execute' })).toBe(402)
    expect(await payBoundTo(stage, { endpoint: 'http://farebox.example/stage/execute' })).toBe(402)
  })

  test('a wrong SERVICE_PUBLIC_URL is named, when the payment is bound to the called URL', async () => {
    const stage = await stageAgent({ variables: { SERVICE_PUBLIC_URL: 'https://old.example' } })
    expect((await orderBoundTo(stage, { endpoint: 'https://agent.test/execute' })).json['error']).toBe(
      'the nonce is bound to the called address, but by its SERVICE_PUBLIC_URL this agent is at https://old.example/execute',
    )
  })

  test('a missing SERVICE_PUBLIC_URL is asked for, when the proxy changes the host', async () => {
    const stage = await stageAgent()
    expect((await orderBoundTo(stage, { endpoint: 'https://farebox.example/execute' })).json['error']).toBe(
      'the nonce is bound to another job, or to another address than http://agent.test/execute: ' +
        'is SERVICE_PUBLIC_URL the address that callers use?',
    )
  })
})

test('D11 an agent without a secret logs that at its start', async () => {
  expect((await stageAgent({ locked: true })).logs()).toContain(
    'warning: FACILITATOR_SECRET is not set: every paid request will be answered 401; npx farebox secret create --env makes one for this wallet, or ask who runs FACILITATOR_URL',
  )
})

describe('each point of failure: what was written, released, charged', () => {
  test('D12 no verdict: 500, the handler does not run, and the same payment may be sent again', async () => {
    const stage = await stageAgent()
    const job = await stage.order()
    stage.gate.verifies.push({ kind: 'unavailable', cause: 'down' })
    const unverified = await stage.post(job)
    expect(unverified).toMatchObject({
      status: 500,
      json: { error: 'the payment could not be verified now, nothing was charged' },
    })
    expect(unverified.headers.get('retry-after')).toBe('2')
    expect(stage.calls).toEqual(['read', 'claim', 'verify', 'forget'])
    expect((await stage.post(job)).status).toBe(200)
  })

  test('a rejected payment: 402, and its claim is deleted with the job (decision 4)', async () => {
    const stage = await stageAgent()
    const payment = await stage.sign({ jobId: randomUUID(), unbound: true })
    stage.gate.verifies.push({ kind: 'invalid', reason: 'insufficient_funds', message: '' })
    expect(await stage.post({ payment })).toMatchObject({
      status: 402,
      json: { error: 'the payment was refused: insufficient_funds' },
    })
    expect(stage.calls).toEqual(['read', 'claim', 'verify', 'forget'])
    expect((await stage.post({ payment })).status, 'the payer has money now, and asks for another job').toBe(
      200,
    )
  })

  test.each<readonly [string, Asked, Work, number, string, readonly string[]]>([
    ['VAL-12 a refused input', { input: {} }, () => ({}), 400, 'text: is required', []],
    [
      'D26 a PaymentError',
      {},
      () => {
        throw new PaymentError('allowance is spent')
      },
      402,
      'allowance is spent',
      ['handler'],
    ],
    [
      'VAL-15 anything else',
      {},
      () => {
        throw new Error('at /home/secret')
      },
      500,
      'Internal error',
      ['handler'],
    ],
    ['VAL-14 an output of another type', {}, () => ({ text: 7 }), 500, 'Internal error', ['handler']],
  ])(
    '%s: the job is deleted, the hold released, nothing charged',
    async (_, asked, work, status, error, ran) => {
      const stage = await stageAgent()
      stage.work = work
      const answer = await stage.post(asked)
      expect(answer).toMatchObject({ status, json: { status: 'failed', error } })
      expect(answer.text).not.toContain('secret')
      expect(stage.calls).toEqual(['read', 'claim', 'verify', ...ran, 'forget', 'release'])
      expect(stage.gate.charged.size).toBe(0)
    },
  )

  test('PAY-01 a payment that was accepted stays valid only for its job, even after a failure', async () => {
    const stage = await stageAgent()
    const job = await stage.order({ unbound: true })
    stage.work = () => {
      throw new ValidationError('city', 'is not known')
    }
    await stage.post(job)
    const other = await stage.post({ payment: job.payment })
    expect(other).toMatchObject({
      status: 402,
      json: { error: 'this payment was sent for another job: one payment buys one job' },
    })
    expect(stage.gate.charged.size).toBe(0)
  })

  test('I1 a bound payment that two agents without a public URL accept buys only one job', async () => {
    const clock = createFakeClock()
    const ports = { clock, store: createMemoryStore(clock) }
    const first = await stageAgent(ports)
    const second = await stageAgent({
      ...ports,
      declaration: { ...(stageDeclaration as Declaration), name: 'Another' },
    })
    const job = await first.order()
    expect(await first.post(job)).toMatchObject({ status: 200 })
    expect(await second.post(job)).toMatchObject({ status: 402 })
    expect(second.calls).not.toContain('verify')
  })
})

describe('deadlines', () => {
  /** Sets a handler that works for this long. */
  function takes(stage: Stage, ms: number, heeds = true): void {
    stage.work = async (_, { signal }) => {
      await new Promise<void>((resolve, reject) => {
        stage.clock.after(ms, resolve)
        if (heeds) signal.addEventListener('abort', () => reject(new Error('told to stop')))
      })
      return { text: 'done' }
    }
  }

  test('D17 a payment that ends earlier ends the job earlier, by the time needed to settle', async () => {
    const stage = await stageAgent()
    takes(stage, 25_000)
    const seen: number[] = []
    const inner = stage.work
    stage.work = (input, context) => {
      seen.push(context.deadline - stage.clock.nowMs() / 1_000, context.remainingMs())
      return inner(input, context)
    }
    const job = await stage.order({ validBefore: stage.clock.nowMs() / 1_000 + 30 })
    const answer = stage.post({ ...job, deadline: stage.clock.nowMs() / 1_000 + 50 })
    expect(await after(stage.clock, 20_000, answer)).toMatchObject({ status: 408 })
    expect(seen).toEqual([20, 20_000])
  })

  test('DDL-03 a handler that blocked past the deadline is late, although its timer did not fire', async () => {
    const clock = createFakeClock()
    let skewMs = 0
    const stage = await stageAgent({ clock: { ...clock, nowMs: () => clock.nowMs() + skewMs } })
    stage.work = () => {
      skewMs = 31_000
      return { text: 'late' }
    }
    expect(await stage.post()).toMatchObject({
      status: 408,
      json: { error: 'the handler returned after the deadline' },
    })
    expect(stage.calls).not.toContain('settle')
  })

  test('DDL-02 an output after the deadline is dropped', async () => {
    const stage = await stageAgent()
    stage.work = async () => {
      await new Promise<void>(resolve => {
        stage.clock.after(40_000, resolve)
      })
      throw new Error('nobody hears this')
    }
    expect((await after(stage.clock, 30_000, stage.post())).status).toBe(408)
    await stage.clock.advance(20_000)
    expect(stage.logs()).toContainEqual(expect.stringMatching(/^handler error: nobody hears this job=/))
  })

  test('DDL-13 a settlement may end after the deadline if the handler was on time', async () => {
    const stage = await stageAgent()
    takes(stage, 1_900)
    stage.gate.settles.push(UNKNOWN, UNKNOWN, UNKNOWN)
    const answer = stage.post({ deadline: stage.clock.nowMs() / 1_000 + 2 })
    expect((await after(stage.clock, 6_000, answer)).status).toBe(200)
  })
})

describe('one payment, several jobs', () => {
  test('PAY-04 a payment that was settled buys no other job', async () => {
    const stage = await stageAgent()
    const payment = await stage.sign({ jobId: randomUUID(), unbound: true })
    expect((await stage.post({ payment })).status).toBe(200)
    await stage.clock.advance(700_000)
    expect((await stage.post({ payment, jobId: randomUUID() })).status).toBe(402)
    expect(stage.count('handler')).toBe(1)
  })
})
