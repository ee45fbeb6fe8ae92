import { randomUUID } from 'node:crypto'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { SettleOutcome } from '@farebox/payments/x402/facilitator-client'
import {
  CapabilityError,
  DeadlineError,
  InternalError,
  PaymentError,
  ValidationError,
} from '@farebox/protocol/errors/service-errors'
import type { Clock } from '@farebox/protocol/time/clock'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JobStore } from '../jobs/job-store.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import type { Verdict } from '../payment-gate/payment-gate.ts'
import { createFakeClock, type FakeClock } from '../testing/fake-clock.ts'
import { stageAgent, type Stage } from './paid-stage.test-setup.ts'
import { createScriptedGate, transactionOf, type ScriptedGate } from './scripted-gate.test-setup.ts'
import { signerOf } from './staged-payment.test-setup.ts'
import type { Answered } from './staged-request.test-setup.ts'

// Runs one job on two replicas with one store, with random failures, and asserts what a caller can rely on: a failure
// was not charged and never will be, a charged payment bought the response, and nothing was bought twice.

/** The behaviour of a handler in one run; `ms` is its duration. */
interface Run {
  readonly kind:
    | 'ok'
    | 'validation'
    | 'payment'
    | 'deadline'
    | 'capability'
    | 'internal'
    | 'plain'
    | 'bad output'
    | 'heeds abort'
  readonly ms: number
}

interface Attempt {
  readonly afterMs: number
  readonly replica: 0 | 1
  readonly payment: 'first' | 'second' | 'third' | 'another payer'
  readonly deadlineSeconds: number
}

/** The nth call of a replica's store fails, before or after it took effect. */
interface StoreFault {
  readonly replica: 0 | 1
  readonly call: number
  readonly when: 'before' | 'after'
}

/** A period in which a replica cannot reach the store, so that it may lose its leases. */
interface Outage {
  readonly replica: 0 | 1
  readonly fromMs: number
  readonly forMs: number
}

interface Script {
  readonly verifies: readonly Verdict['kind'][]
  /** `charged unseen`: the payment is charged, but the outcome is reported as unknown. */
  readonly settles: readonly (SettleOutcome['kind'] | 'charged unseen')[]
  readonly runs: readonly Run[]
  readonly attempts: readonly Attempt[]
  readonly faults: readonly StoreFault[]
  readonly outages: readonly Outage[]
}

const script: fc.Arbitrary<Script> = fc.record({
  verifies: fc.array(fc.constantFrom('valid', 'valid', 'valid', 'invalid', 'unauthorized', 'unavailable'), {
    maxLength: 4,
  }),
  settles: fc.array(fc.constantFrom('settled', 'unknown', 'unknown', 'failed', 'failed', 'charged unseen'), {
    maxLength: 6,
  }),
  runs: fc.array(
    fc.record({
      kind: fc.constantFrom<Run['kind']>(
        'ok',
        'ok',
        'ok',
        'ok',
        'validation',
        'payment',
        'deadline',
        'capability',
        'internal',
        'plain',
        'bad output',
        'heeds abort',
      ),
      ms: fc.constantFrom(0, 0, 40, 4_000, 15_000, 29_000, 70_000),
    }),
    { maxLength: 4 },
  ),
  attempts: fc.array(
    fc.record({
      afterMs: fc.constantFrom(0, 0, 30, 900, 4_000, 12_000, 25_000),
      replica: fc.constantFrom<0 | 1>(0, 1),
      payment: fc.constantFrom<Attempt['payment']>(
        'first',
        'first',
        'first',
        'second',
        'second',
        'third',
        'another payer',
      ),
      deadlineSeconds: fc.constantFrom(3, 30, 30, 55),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  faults: fc.array(
    fc.record({
      replica: fc.constantFrom<0 | 1>(0, 1),
      call: fc.nat(12),
      when: fc.constantFrom<StoreFault['when']>('before', 'after'),
    }),
    { maxLength: 3 },
  ),
  outages: fc.array(
    fc.record({
      replica: fc.constantFrom<0 | 1>(0, 1),
      fromMs: fc.constantFrom(10, 2_000, 9_000),
      forMs: fc.constantFrom(12_000, 20_000),
    }),
    { maxLength: 1 },
  ),
})

/** The events of all replicas, in order. */
type Event =
  | { readonly kind: 'sent'; readonly attempt: number; readonly payment: Attempt['payment'] }
  | {
      readonly kind: 'answered'
      readonly attempt: number
      readonly payment: Attempt['payment']
      readonly answer: Answered
    }
  | { readonly kind: 'settle'; readonly payment: Attempt['payment']; readonly charged: boolean }
  | { readonly kind: 'run' | 'run over'; readonly overlaps: boolean }

interface History {
  readonly events: readonly Event[]
  readonly charged: ReadonlySet<Attempt['payment']>
  /** The final answers: each charged payment is sent once more after all faults have ended. */
  readonly finalAnswers: ReadonlyMap<Attempt['payment'], Answered>
}

const RUNS = Number(process.env['FAREBOX_PROMISE_RUNS'] ?? 300)

test('promise 3: whatever fails, an answer of failure means not charged, and a charge means the response', async () => {
  await fc.assert(
    fc.asyncProperty(script, async one => {
      const history = await play(one)
      checkFailuresChargeNothing(history)
      checkOneCharge(history)
      checkRuns(history, one)
      checkAnswers(history)
    }),
    { numRuns: RUNS },
  )
})

/** I5: after a failure the payment is not submitted, unless the caller itself sent it again. */
function checkFailuresChargeNothing({ events, charged }: History): void {
  events.forEach((event, index) => {
    if (event.kind !== 'answered' || ![400, 402, 408, 500].includes(event.answer.status)) return
    const { payment, attempt } = event
    const open = (other: number): boolean =>
      !events.slice(0, index).some(one => one.kind === 'answered' && one.attempt === other)
    const sentAgain = events.some(
      one => one.kind === 'sent' && one.payment === payment && one.attempt !== attempt && open(one.attempt),
    )
    if (sentAgain) return
    const later = events.slice(index).filter(one => one.kind === 'settle' && one.payment === payment)
    expect(later, `payment "${payment}" submitted after ${event.answer.status} ${event.answer.text}`).toEqual(
      [],
    )
    expect(
      charged,
      `payment "${payment}" answered ${event.answer.status} ${event.answer.text}`,
    ).not.toContain(payment)
  })
}

/** I2: one job charges at most one payment, whatever was signed for it. */
function checkOneCharge({ charged }: History): void {
  expect([...charged].length, `charged ${[...charged].join(', ')}`).toBeLessThanOrEqual(1)
}

/** I6: two runs never overlap, unless a replica was cut off; and no run starts after a payment could be charged. */
function checkRuns({ events }: History, { faults, outages }: Script): void {
  const firstSettle = events.findIndex(event => event.kind === 'settle')
  const lateRuns = events.filter(
    (event, index) => event.kind === 'run' && firstSettle !== -1 && index > firstSettle,
  )
  expect(lateRuns, 'the handler ran although a response was saved').toEqual([])
  if (faults.length > 0 || outages.length > 0) return
  expect(
    events.filter(event => event.kind === 'run' && event.overlaps),
    'two runs at once',
  ).toEqual([])
}

/** I3, I4, IDM-13: a 200 requires a charge and always has the same bytes, and a charged job is finally answered 200. */
function checkAnswers({ events, charged, finalAnswers }: History): void {
  const answers = [
    ...events.flatMap(event => (event.kind === 'answered' ? [event.answer] : [])),
    ...finalAnswers.values(),
  ]
  const paid = answers.filter(answer => answer.status === 200)
  if (paid.length > 0) expect(charged.size).toBe(1)
  expect(
    new Set(paid.map(({ text, headers }) => text + headers.get('payment-response'))).size,
  ).toBeLessThanOrEqual(1)
  for (const payment of charged) expect(finalAnswers.get(payment)).toMatchObject({ status: 200 })
  for (const answer of answers) expect([200, 400, 401, 402, 408, 500, 503]).toContain(answer.status)
}

async function play(one: Script): Promise<History> {
  const clock = createFakeClock()
  const events: Event[] = []
  const jobId = randomUUID()
  const shared = createMemoryStore(clock)
  const trouble = { over: false }
  const stores = ([0, 1] as const).map(replica => failingStore(shared, clock, one, replica, trouble))
  const named = new Map<string, Attempt['payment']>()
  const gate = createTruthfulGate(one, nonce => named.get(nonce) ?? 'first', events)
  const work = createWork(one, clock, events)
  const replicas: Stage[] = []
  for (const store of stores) replicas.push(await stageAgent({ clock, store, gate }))
  for (const stage of replicas) stage.work = work

  const payments = await signPayments(replicas[0], jobId, clock)
  for (const [name, { nonce }] of payments) named.set(nonce, name)
  const open: Promise<void>[] = []
  for (const [attempt, { afterMs, replica, payment, deadlineSeconds }] of one.attempts.entries()) {
    await clock.advance(afterMs)
    events.push({ kind: 'sent', attempt, payment })
    const deadline = clock.nowMs() / 1_000 + deadlineSeconds
    open.push(
      replicas[replica]
        ?.post({ jobId, deadline, payment: payments.get(payment)?.header ?? '' })
        .then(answer => {
          events.push({ kind: 'answered', attempt, payment, answer })
        }) ?? Promise.resolve(),
    )
    await clock.advance(0)
  }
  await clock.advance(150_000)
  await Promise.all(open)
  trouble.over = true
  await clock.advance(20_000)
  const finalAnswers = new Map<Attempt['payment'], Answered>()
  for (const payment of gate.charged) {
    const answer = replicas[0]?.post({ jobId, payment: payments.get(payment)?.header ?? '' })
    await clock.advance(15_000)
    if (answer !== undefined) finalAnswers.set(payment, await answer)
  }
  const closing = replicas.map(stage => stage.agent.close())
  await clock.advance(40_000)
  await Promise.all(closing)
  return { events, charged: gate.charged, finalAnswers }
}

async function signPayments(
  stage: Stage | undefined,
  jobId: string,
  clock: FakeClock,
): Promise<ReadonlyMap<Attempt['payment'], { readonly header: string; readonly nonce: string }>> {
  const crypto = await loadEvmCrypto()
  const payments = new Map<Attempt['payment'], { header: string; nonce: string }>()
  for (const name of ['first', 'second', 'third', 'another payer'] as const) {
    const payer = signerOf(crypto, name === 'another payer' ? 2 : 1)
    const header =
      (await stage?.sign({ jobId, payer, validBefore: Math.floor(clock.nowMs() / 1_000) + 3_600 })) ?? ''
    const envelope = JSON.parse(Buffer.from(header, 'base64').toString()) as {
      payload: { authorization: { nonce: string } }
    }
    payments.set(name, { header, nonce: envelope.payload.authorization.nonce })
  }
  return payments
}

/**
 * A gate that knows what was charged. A payment reported as failed is charged when it is submitted again, so that any
 * resubmission is detected.
 */
function createTruthfulGate(
  one: Script,
  nameOf: (nonce: string) => Attempt['payment'],
  events: Event[],
): ScriptedGate & { readonly charged: ReadonlySet<Attempt['payment']> } {
  const gate = { ...createScriptedGate(), charged: new Set<Attempt['payment']>() }
  const verifies = [...one.verifies]
  const settles = [...one.settles]
  return {
    ...gate,
    verify() {
      const kind = verifies.shift() ?? 'valid'
      const outcomes: { readonly [kind in Verdict['kind']]: Verdict } = {
        valid: { kind: 'valid', hold: { holdId: 'hold', holdUntil: 4e9 } },
        invalid: { kind: 'invalid', reason: 'insufficient_funds', message: '' },
        unauthorized: { kind: 'unauthorized' },
        unavailable: { kind: 'unavailable', cause: 'scripted' },
      }
      return Promise.resolve(outcomes[kind])
    },
    settle({ key, authorization }) {
      const payment = nameOf(authorization.nonce)
      const told = gate.charged.has(payment) ? 'settled' : (settles.shift() ?? 'settled')
      const charged = told === 'settled' || told === 'charged unseen'
      if (charged) gate.charged.add(payment)
      events.push({ kind: 'settle', payment, charged })
      if (told === 'settled') return Promise.resolve({ kind: 'settled', transaction: transactionOf(key) })
      if (told === 'failed')
        return Promise.resolve({ kind: 'failed', reason: 'insufficient_funds', message: '', transaction: '' })
      return Promise.resolve({ kind: 'unknown', cause: 'scripted' })
    },
  }
}

function createWork(one: Script, clock: Clock, events: Event[]): Stage['work'] {
  const runs = [...one.runs]
  let running = 0
  let made = 0
  return async (_, { signal }) => {
    const { kind, ms } = runs.shift() ?? { kind: 'ok', ms: 0 }
    events.push({ kind: 'run', overlaps: running > 0 })
    running += 1
    try {
      await new Promise<void>((resolve, reject) => {
        clock.after(ms, resolve)
        if (kind === 'heeds abort') signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    } finally {
      running -= 1
      events.push({ kind: 'run over', overlaps: false })
    }
    switch (kind) {
      case 'validation':
        throw new ValidationError('text', 'is not nice')
      case 'payment':
        throw new PaymentError('no')
      case 'deadline':
        throw new DeadlineError('no')
      case 'capability':
        throw new CapabilityError('no')
      case 'internal':
        throw new InternalError('no')
      case 'plain':
        throw new Error('no')
      case 'bad output':
        return { text: 7 }
      default:
        made += 1
        return { text: `response ${made}` }
    }
  }
}

function failingStore(
  store: JobStore,
  clock: Clock,
  one: Script,
  replica: 0 | 1,
  trouble: { readonly over: boolean },
): JobStore {
  const startMs = clock.nowMs()
  let calls = -1
  const guard = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1
    const atMs = clock.nowMs() - startMs
    const out = one.outages.some(
      outage => outage.replica === replica && atMs >= outage.fromMs && atMs < outage.fromMs + outage.forMs,
    )
    const fault = one.faults.find(each => each.replica === replica && each.call === calls)
    if (trouble.over || (fault === undefined && !out)) return await call()
    if (!out && fault?.when === 'after') await call()
    throw new Error('the store does not answer')
  }
  return {
    claim: claim => guard(() => store.claim(claim)),
    read: jobKey => guard(() => store.read(jobKey)),
    write: (holder, change) => guard(() => store.write(holder, change)),
    unresolved: () => store.unresolved(),
  }
}
