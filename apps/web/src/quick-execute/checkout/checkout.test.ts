import { expect, test } from 'vitest'
import { ApiFailure } from '../../site/ask.ts'
import { createCheckoutStage, TELLER, type CheckoutStage } from '../../test-setup/checkout-stage.ts'
import type { SignedOrder } from '../../kept/order.ts'
import { createCheckout, type Checkout } from './checkout.ts'
import type { Execution } from './checkout-state.ts'
import { isUnderWay } from './under-way.ts'

const INPUT = { text: 'exact fare per ride' }
const FAILED = { status: 'failed', charged: false, error_type: 'internal', error: 'no' } as const
const RETRY = { retry: { possible: true, until: 90, reason: null } }

/** Creates a checkout, and a listener that collects its steps. */
async function setUp() {
  const stage = await createCheckoutStage()
  const checkout = createCheckout(stage.dependencies)
  const steps: string[] = []
  const leave = checkout.subscribe(() => {
    const step = nameStep(checkout.get().execution)
    if (step !== steps.at(-1)) steps.push(step)
  })
  return {
    stage,
    checkout,
    steps,
    leave,
    count: (entry: string) => stage.log.filter(one => one === entry).length,
  }
}

function nameStep(execution: Execution): string {
  if (execution.step === 'preparing') return execution.words
  if (execution.step !== 'ordered') return execution.step
  return `ordered ${execution.order.job?.status ?? 'unsent'}`
}

/** Resolves once the condition holds. A test whose condition never holds hangs. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve))
}

const stepIs = (checkout: Checkout, step: Execution['step']) => () => checkout.get().execution.step === step

function orderOf(checkout: Checkout): SignedOrder {
  const { execution } = checkout.get()
  if (execution.step !== 'ordered') throw new Error(`nothing was ordered: ${execution.step}`)
  return execution.order
}

/** Pays for an order, and resolves once its job is followed. */
async function order(checkout: Checkout, stage: CheckoutStage): Promise<SignedOrder> {
  checkout.pay(TELLER, INPUT)
  await until(() => stage.followed.length > 0)
  return orderOf(checkout)
}

test('an order goes through its steps, from the check of the input to the paid job', async () => {
  const { stage, checkout, steps } = await setUp()
  await order(checkout, stage)
  stage.report({ status: 'completed', charged: true })
  expect(steps).toEqual([
    'Checking the input',
    'Opening the wallet',
    'Getting the price',
    'Signing',
    'ordered unsent',
    'ordered sent',
    'ordered completed',
  ])
  expect(isUnderWay(checkout.get().execution)).toBe(false)
  expect([...stage.orders.values()]).toMatchObject([{ job: { status: 'completed' }, job_token: 'token' }])
})

test('an order is in the journal before it is sent', async () => {
  const { stage, checkout } = await setUp()
  await order(checkout, stage)
  expect(stage.log).toEqual([
    'ask /v1/quotes',
    'ask /v1/wallets/…/balance',
    'sign',
    'keep',
    'ask /v1/jobs?wait=false',
    'follow',
  ])
})

test('an order that the journal cannot store is not sent', async () => {
  const { stage, checkout, count } = await setUp()
  const parts = await stage.dependencies.loadParts()
  const keep = () => Promise.reject(new Error('the disk is full'))
  const loadParts = async () => ({ ...parts, journal: { ...parts.journal, keep } })
  const other = createCheckout({ ...stage.dependencies, loadParts })
  other.subscribe(() => undefined)
  other.pay(TELLER, INPUT)
  await until(stepIs(other, 'stopped'))
  expect(other.get().execution).toMatchObject({
    sentence: 'The disk is full. Nothing was sent and nothing was charged.',
  })
  expect([count('sign'), stage.sent, checkout.get().execution]).toEqual([1, [], { step: 'idle' }])
})

test('an unanswered order is sent again with the same bytes, and is signed once', async () => {
  const { stage, checkout, count } = await setUp()
  stage.answers.jobs = [undefined, undefined, {}]
  const { job_id: jobId, payment } = await order(checkout, stage)
  expect(stage.sent).toHaveLength(3)
  expect(new Set(stage.sent.map(body => JSON.stringify(body))).size).toBe(1)
  expect(stage.sent[0]).toMatchObject({ job_id: jobId, payment, input: INPUT })
  expect(checkout.get().execution).toMatchObject({ unanswered: 2 })
  expect(count('sign')).toBe(1)
})

test('a second press while an order is being prepared orders nothing', async () => {
  const { stage, checkout, count } = await setUp()
  checkout.pay(TELLER, INPUT)
  await order(checkout, stage)
  expect([count('sign'), count('keep'), stage.sent.length]).toEqual([1, 1, 1])
})

test('a failed job is sent again with the payment that was signed for it', async () => {
  const { stage, checkout, count } = await setUp()
  const first = await order(checkout, stage)
  stage.report({ ...FAILED, ...RETRY })
  checkout.retry(orderOf(checkout), TELLER.fields, { text: 'corrected' })
  checkout.retry(orderOf(checkout), TELLER.fields, { text: 'corrected' })
  await until(() => stage.followed.length > 1)
  expect(orderOf(checkout)).toMatchObject({
    job_id: first.job_id,
    payment: first.payment,
    input: { text: 'corrected' },
    job: { status: 'sent' },
  })
  expect([count('sign'), count('ask /v1/jobs/…/retry?wait=false')]).toEqual([1, 1])
  expect(stage.followed.map(({ aborted }) => aborted)).toEqual([true, false])
})

test('an order of the journal is shown and followed, but not signed again', async () => {
  const { stage, checkout } = await setUp()
  const kept = await order(checkout, stage)
  const later = createCheckout(stage.dependencies)
  later.subscribe(() => undefined)
  stage.log.splice(0)
  later.showOrder(kept)
  await until(() => stage.followed.length > 1)
  expect(stage.log).toEqual(['follow'])
  expect(later.get().execution).toMatchObject({ isFresh: false, order: { job: { status: 'sent' } } })
})

test('a changed price stops the order before the signature; once the reader agrees, the new price is signed', async () => {
  const { stage, checkout, count } = await setUp()
  stage.answers.price = '0.003'
  checkout.pay(TELLER, INPUT)
  await until(stepIs(checkout, 'changed'))
  expect(checkout.get().execution).toMatchObject({ quote: { amount: '0.003' } })
  expect(stage.log).toEqual(['ask /v1/quotes'])
  checkout.pay({ ...TELLER, price: '0.003' }, INPUT)
  await until(stepIs(checkout, 'ordered'))
  expect([orderOf(checkout).amount, count('sign')]).toEqual(['0.003', 1])
})

test('an input that the agent would refuse is refused at its field, and no request is sent', async () => {
  const { stage, checkout } = await setUp()
  checkout.pay(TELLER, { text: 'x'.repeat(41) })
  await until(() => checkout.get().refusal !== undefined)
  expect(checkout.get().refusal).toEqual({ field: 'text', reason: 'must be at most 40 characters, got 41' })
  checkout.check(TELLER.fields, INPUT)
  await until(() => checkout.get().refusal === undefined)
  expect(stage.log).toEqual([])
})

test('a refused input is back in the form when its refusal is shown, so that its field can take the focus', async () => {
  const { stage, checkout, leave } = await setUp()
  leave()
  const shown: Execution['step'][] = []
  checkout.subscribe(() => {
    const { execution, refusal } = checkout.get()
    if (refusal !== undefined) shown.push(execution.step)
  })
  checkout.pay(TELLER, {})
  await until(() => shown.length > 0)
  expect(shown).toEqual(['idle'])
  // The next attempt is checked again.
  checkout.pay(TELLER, INPUT)
  await until(() => stage.followed.length > 0)
  expect(checkout.get().refusal).toBeUndefined()
})

test('a reader who chooses no wallet returns to the form', async () => {
  const { stage, checkout, steps } = await setUp()
  stage.wallet = undefined
  checkout.pay(TELLER, INPUT)
  await until(() => steps.at(-1) === 'idle')
  expect(stage.log).toEqual([])
})

test('a wallet with too little stops the order; choosing another wallet only resets the stop', async () => {
  const { stage, checkout } = await setUp()
  stage.answers.balance = '0.001'
  checkout.pay(TELLER, INPUT)
  await until(stepIs(checkout, 'stopped'))
  expect(checkout.get().execution).toEqual({
    step: 'stopped',
    sentence: 'Test wallet has 0.001 USDC, but 0.002 is required. Nothing was sent.',
    tone: 'warn',
    isShort: true,
  })
  expect(stage.log).not.toContain('sign')
  checkout.forgetStop()
  expect(checkout.get().execution).toEqual({ step: 'idle' })
  stage.answers.balance = '5'
  await order(checkout, stage)
  checkout.forgetStop()
  expect(checkout.get().execution.step).toBe('ordered')
})

test('nothing is signed after the component has unmounted', async () => {
  for (const path of ['/v1/quotes', '/v1/wallets/0x7e5f4552091a69125d5dfcb7b8c2659029395bdf/balance']) {
    const { stage, checkout, leave } = await setUp()
    const release = stage.hold(path)
    checkout.pay(TELLER, INPUT)
    await until(() => stage.log.some(entry => entry.endsWith(path.slice(-7))))
    leave()
    release()
    for (let turns = 0; turns < 50; turns += 1) await new Promise(resolve => setImmediate(resolve))
    expect(stage.log).not.toContain('sign')
    expect(checkout.get().execution).toEqual({ step: 'idle' })
  }
})

test('a job is followed as long as the component is mounted', async () => {
  const { stage, checkout, leave } = await setUp()
  const { job_id: jobId } = await order(checkout, stage)
  leave()
  expect(stage.followed.map(({ aborted }) => aborted)).toEqual([true])
  checkout.subscribe(() => undefined)
  await until(() => stage.followed.length > 1)
  expect(orderOf(checkout).job_id).toBe(jobId)
  expect(stage.sent).toHaveLength(1)
})

test('the balance is read when a job is charged, and again once the platform has the new balance', async () => {
  const { stage, checkout, count } = await setUp()
  await order(checkout, stage)
  stage.report({ status: 'pending' })
  expect(count('refresh balance')).toBe(0)
  stage.report({ status: 'completed', charged: true })
  stage.report({ status: 'completed', charged: true })
  await until(() => count('refresh balance') > 1)
  expect(count('refresh balance')).toBe(2)
})

test('an order that the platform rejects is shown with its reason, but not followed', async () => {
  const { stage } = await setUp()
  const { ask } = stage.dependencies
  const rejecting: typeof ask = async (path, answer, options) => {
    if (path.startsWith('/v1/jobs'))
      throw new ApiFailure('deadline: is over', { status: 400, type: 'validation' })
    return await ask(path, answer, options)
  }
  const checkout = createCheckout({ ...stage.dependencies, ask: rejecting })
  checkout.subscribe(() => undefined)
  checkout.pay(TELLER, INPUT)
  await until(() => stepIs(checkout, 'ordered')() && orderOf(checkout).refusal !== undefined)
  expect(orderOf(checkout).refusal).toEqual({ type: 'validation', sentence: 'deadline: is over' })
  expect([isUnderWay(checkout.get().execution), stage.followed]).toEqual([false, []])
})
