import type { FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import type { Log, LogFields } from '@farebox/server/log'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  facilitatorRequest,
  freshBinding,
  NETWORK,
  PRICE,
  signAuthorization,
} from './test-setup/payments-for-tests.ts'
import { hasPostgres, startStack, type RunningFacilitator, type Stack } from './test-setup/start-stack.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SENT = {
  timeoutMs: 600_000,
  trace: { id: TRACE, parentId: '00f067aa0ba902b7', isSampled: true },
}

describe.runIf(await hasPostgres())('a payment in the facilitator’s log', () => {
  let stack: Stack
  let facilitator: RunningFacilitator
  const lines: (LogFields & { readonly event: string })[] = []
  const write = (event: string, fields: LogFields = {}): void => void lines.push({ event, ...fields })
  const log: Log = { info: write, warn: write, error: write }

  beforeAll(async () => {
    stack = await startStack()
    facilitator = await stack.startFacilitator({ log, clock: systemClock })
  })
  afterAll(async () => await stack.stop())
  beforeEach(() => {
    lines.length = 0
  })

  interface Payment {
    readonly key: string
    readonly binding: string
    readonly request: FacilitatorRequest
  }
  const createPayment = async (usdcAtomic = PRICE): Promise<Payment> => {
    const signed = await signAuthorization(stack.crypto, await stack.createPayer(usdcAtomic))
    const binding = freshBinding()
    const { from, nonce } = signed.authorization
    const key = `84532:${NETWORK.asset.address}:${from}:${nonce}`
    return { key, binding, request: facilitatorRequest(signed, { binding }) }
  }
  const linesOf = (key: string): readonly string[] =>
    lines.filter(line => line['key'] === key).map(({ event }) => event)

  test('has its key, its job’s binding and the trace from the first request to the block', async () => {
    const { key, binding, request } = await createPayment()
    expect(await facilitator.client.verify(request, SENT)).toMatchObject({ kind: 'valid' })
    expect(await facilitator.client.settle(request, { ...SENT, trace: undefined })).toMatchObject({
      kind: 'settled',
    })
    await expect.poll(() => linesOf(key)).toEqual(['payment held', 'payment submitted', 'payment settled'])
    for (const line of lines.filter(one => one['key'] === key))
      expect(line).toMatchObject({ job: binding, trace: TRACE })
  })

  test('without a valid traceparent all its lines have the trace that its verification began', async () => {
    const { key, request } = await createPayment()
    await facilitator.client.verify(request, {
      ...SENT,
      trace: { ...SENT.trace, id: `${TRACE}-hostile` },
    })
    await facilitator.client.settle(request, { timeoutMs: SENT.timeoutMs })
    await expect.poll(() => linesOf(key)).toHaveLength(3)
    const traces = new Set(lines.filter(line => line['key'] === key).map(line => line['trace']))
    expect([...traces]).toEqual([expect.stringMatching(/^(?!4bf9)[0-9a-f]{32}$/)])
  })

  test('has the trace when it is refused, looked up, released and not settled', async () => {
    const poor = await createPayment(PRICE - 1n)
    expect(await facilitator.client.verify(poor.request, SENT)).toMatchObject({ kind: 'invalid' })
    const { key, binding, request } = await createPayment()
    const inquiry = { ...request, extensions: { 'farebox-hold': { binding, inquiry: true } } }
    await facilitator.client.verify(inquiry as FacilitatorRequest, SENT)
    const held = await facilitator.client.verify(request, SENT)
    const holdId = held.kind === 'valid' ? (held.hold?.holdId ?? '') : ''
    await facilitator.client.release({ holdId, binding }, SENT)
    expect(await facilitator.client.settle(request, SENT)).toMatchObject({ kind: 'failed' })
    expect(lines).toEqual([
      {
        event: 'payment refused',
        key: poor.key,
        job: poor.binding,
        trace: TRACE,
        reason: expect.any(String),
      },
      { event: 'payment looked up', key, job: binding, trace: TRACE, charge: undefined },
      { event: 'payment held', key, job: binding, trace: TRACE },
      { event: 'payment released', key, job: binding, trace: TRACE },
      { event: 'settlement refused', key, job: binding, trace: TRACE, reason: 'hold_released' },
    ])
  })

  test('has no job when its caller names none', async () => {
    const signed = await signAuthorization(stack.crypto, await stack.createPayer(PRICE))
    await facilitator.client.verify(facilitatorRequest(signed), SENT)
    expect(lines).toMatchObject([{ event: 'payment held', job: undefined, trace: TRACE }])
  })

  test('a process that settles what another one captured logs it with the trace', async () => {
    const { key, request } = await createPayment()
    await facilitator.client.verify(request, SENT)
    const { owner } = stack
    const [row] = await facilitator.ledger.payments.find([key])
    if (row === undefined) throw new Error('the payment is not held')
    await facilitator.ledger.payments.capture({ payment: row, binding: row.binding, owner })
    await facilitator.ledger.signals.publish({ kind: 'captured' })
    await expect.poll(() => linesOf(key)).toContain('payment settled')
    expect(lines.find(({ event }) => event === 'payment settled')).toMatchObject({ key, trace: TRACE })
  })
})
