import { randomBytes, randomUUID } from 'node:crypto'
import { until } from '@farebox/protocol/src/test-setup/until'
import { sleep, systemClock, type Clock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NETWORK, PAY_TO } from '../test-setup/payments-for-tests.ts'
import { createSchema, hasPostgres, TEST_DATABASE_URL } from '../test-setup/start-stack.ts'
import type { Ledger } from './ledger.ts'
import { createMemoryLedger } from './memory/memory-ledger.ts'
import type { OwnerLimits, Sponsorship } from './owner-ledger.ts'
import {
  MOST_OPEN_PAYMENTS,
  type CaptureOutcome,
  type CaptureRequest,
  type HoldOutcome,
  type PaymentToHold,
} from './payment-ledger.ts'
import type { LedgerPayment, PaymentRecord } from './payment-record.ts'
import { openPostgresLedger } from './postgres/postgres-ledger.ts'
import type { Conclusion, Sender, SenderLease } from './settlement-ledger.ts'

const NOW = 1_800_000_000
const STARTED_MS = Date.now()
const clock: Clock = { ...systemClock, nowMs: () => NOW * 1_000 + Date.now() - STARTED_MS }
const FAILURE_LIMITS = { failuresAllowed: 3, barredSeconds: 600 }

const LIMITS: OwnerLimits = {
  dailySettlements: { named: null, listed: null, unlisted: 3 },
  open: 100_000,
  openAlone: 2,
  revertedGas: 1_000,
}
const ALL = { together: 1_000, alone: 1_000 }

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`

function payment(changes: Partial<LedgerPayment['authorization']> = {}): LedgerPayment {
  const authorization = {
    from: hex(20),
    to: PAY_TO,
    value: '100',
    validAfter: '0',
    validBefore: String(NOW + 300),
    nonce: hex(32),
    ...changes,
  }
  return {
    key: `84532:${NETWORK.asset.address}:${authorization.from}:${authorization.nonce}`,
    network: NETWORK.id,
    asset: NETWORK.asset.address,
    authorization,
    signature: hex(65),
  }
}

function holdRequest(one: LedgerPayment, changes: Partial<PaymentToHold> = {}): PaymentToHold {
  return {
    payment: one,
    binding: 'job',
    trace: TRACE,
    owner: 'owner',
    secretId: 'secret',
    holdId: randomUUID(),
    holdUntil: NOW + 60,
    nowSeconds: NOW,
    observed: { balanceAtomic: 100n, blockNumber: 10n },
    alone: false,
    limits: LIMITS,
    ...changes,
  }
}

const captureRequest = (one: LedgerPayment, changes: Partial<CaptureRequest> = {}): CaptureRequest => ({
  payment: one,
  binding: 'job',
  owner: 'owner',
  ...changes,
})

const atOnce = async <T>(count: number, act: (index: number) => Promise<T>): Promise<readonly T[]> =>
  await Promise.all(Array.from({ length: count }, (_, index) => act(index)))

type OpenLedger = () => Promise<{
  readonly ledger: Ledger
  readonly again: () => Promise<Ledger>
  readonly drop: () => Promise<void>
}>

const openMemory: OpenLedger = async () => {
  const ledger = createMemoryLedger(clock, FAILURE_LIMITS)
  return await Promise.resolve({
    ledger,
    again: async () => await Promise.resolve(ledger),
    drop: async () => await Promise.resolve(),
  })
}

const openPostgres: OpenLedger = async () => {
  const { schema, drop } = await createSchema()
  const opened: Ledger[] = []
  const again = async (): Promise<Ledger> => {
    const ledger = await openPostgresLedger({
      connectionString: TEST_DATABASE_URL,
      schema,
      clock,
      failureLimits: FAILURE_LIMITS,
    })
    opened.push(ledger)
    return ledger
  }
  const ledger = await again()
  return {
    ledger,
    again,
    async drop() {
      for (const one of opened) await one.close()
      await drop()
    },
  }
}

const ledgers: [string, OpenLedger][] = [['memory', openMemory]]
if (await hasPostgres()) ledgers.push(['PostgreSQL', openPostgres])

describe.each(ledgers)('the ledger in %s', (_, open) => {
  let opened: Awaited<ReturnType<OpenLedger>>
  let ledger: Ledger
  let lease: SenderLease
  let nonce = 0

  beforeAll(async () => {
    opened = await open()
    ledger = opened.ledger
  })
  beforeEach(async () => {
    const taken = await ledger.leases.acquire({ network: NETWORK.id, relayer: hex(20) }, 'holder', 60_000)
    if (taken === undefined) throw new Error('no lease')
    lease = taken
  })
  afterAll(async () => await opened.drop())

  const stateOf = async (one: LedgerPayment): Promise<PaymentRecord | undefined> =>
    (await ledger.payments.find([one.key]))[0]
  const hold = (one: LedgerPayment, changes?: Partial<PaymentToHold>): Promise<HoldOutcome> =>
    ledger.payments.hold(holdRequest(one, changes))
  const capture = (one: LedgerPayment, changes?: Partial<CaptureRequest>): Promise<CaptureOutcome> =>
    ledger.payments.capture(captureRequest(one, changes))
  const release = async (
    one: LedgerPayment,
    changes: Partial<Parameters<Ledger['payments']['release']>[0]> = {},
  ): Promise<boolean> => {
    const key = await ledger.payments.release({
      holdId: (await stateOf(one))?.holdId ?? '',
      binding: 'job',
      owner: 'owner',
      ...changes,
    })
    if (key !== undefined) expect(key).toBe(one.key)
    return key !== undefined
  }
  const submit = (keys: readonly string[]): Promise<string | undefined> =>
    ledger.settlements.submit(lease, signed(), keys)
  const concludeAll: (
    ...words: Parameters<typeof ledger.settlements.conclude>
  ) => Promise<readonly string[]> = async (...words) =>
    (await ledger.settlements.conclude(...words)).map(({ key }) => key)
  const conclude = (conclusion: Conclusion): Promise<readonly string[]> => concludeAll([conclusion])
  const backlog = (sender: Partial<Sender> = {}, by = ledger): ReturnType<Ledger['settlements']['backlog']> =>
    by.settlements.backlog(
      { network: NETWORK.id, relayers: [lease.relayer], holder: 'holder', ...sender },
      ALL,
    )
  const sponsor = async (owner: string, sponsorship: Sponsorship, granted?: number): Promise<void> =>
    await ledger.owners.sponsor(owner, { sponsorship, ...(granted !== undefined && { granted }) })
  const signed = (): {
    hash: string
    raw: string
    maxFeePerGas: bigint
    maxPriorityFeePerGas: bigint
    nonce: number
  } => {
    nonce += 1
    return { hash: hex(32), raw: hex(100), maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, nonce }
  }
  const held = async (
    changes: Partial<LedgerPayment['authorization']> = {},
    request: Partial<PaymentToHold> = {},
  ): Promise<LedgerPayment> => {
    const one = payment(changes)
    expect(await hold(one, request)).toMatchObject({ kind: 'held' })
    return one
  }
  const captured = async (changes: Partial<LedgerPayment['authorization']> = {}): Promise<LedgerPayment> => {
    const one = await held(changes)
    expect(await capture(one)).toMatchObject({ kind: 'captured', first: true })
    return one
  }
  const submitted = async (
    changes: Partial<LedgerPayment['authorization']> = {},
  ): Promise<{ one: LedgerPayment; id: string; hash: string }> => {
    const one = await captured(changes)
    const transaction = signed()
    const id = await ledger.settlements.submit(lease, transaction, [one.key])
    if (id === undefined) throw new Error('not submitted')
    return { one, id, hash: transaction.hash }
  }
  const settle = async (one: LedgerPayment, blockNumber = 20n): Promise<readonly string[]> => {
    const from = (await stateOf(one))?.state ?? 'held'
    return await conclude({ key: one.key, from, to: 'settled', transaction: hex(32), blockNumber })
  }
  const fail = async (one: LedgerPayment): Promise<readonly string[]> => {
    const from = (await stateOf(one))?.state ?? 'held'
    const failure = { reason: 'broke', message: 'no money' }
    return await conclude({ key: one.key, from, to: 'failed', failure, transaction: '', blamed: true })
  }

  describe('holding', () => {
    test('keeps all parts of the payment', async () => {
      const one = await held({ validAfter: '7' })
      expect(await stateOf(one)).toMatchObject({
        ...one,
        state: 'held',
        binding: 'job',
        owner: 'owner',
        secretId: 'secret',
        holdUntil: NOW + 60,
        observedBlock: 10n,
        attempts: 0,
        transaction: '',
        blockNumber: undefined,
        failure: undefined,
      })
    })

    test('PAY-11 50 concurrent holds of one payer: exactly as many succeed as the balance covers', async () => {
      const from = hex(20)
      const outcomes = await atOnce(50, () =>
        hold(payment({ from }), { observed: { balanceAtomic: 799n, blockNumber: 10n } }),
      )
      expect(outcomes.filter(outcome => outcome.kind === 'held')).toHaveLength(7)
      expect(outcomes.filter(outcome => outcome.kind === 'insufficient')).toHaveLength(43)
    })

    test('one payment held 50 times at once leaves one row, with the id of the last hold', async () => {
      const one = payment()
      const outcomes = await atOnce(50, () => hold(one))
      const ids = outcomes.map(outcome => (outcome.kind === 'held' ? outcome.holdId : ''))
      expect(new Set(ids).size).toBe(50)
      expect(ids).toContain((await stateOf(one))?.holdId)
    })

    test('counts captured, submitted and just settled payments against the balance, and no others', async () => {
      const from = hex(20)
      const rich = { observed: { balanceAtomic: 10_000n, blockNumber: 10n } }
      const all: LedgerPayment[] = []
      for (let index = 0; index < 6; index += 1) all.push(await held({ from }, rich))
      const [first, second, third, fourth, fifth, sixth] = all as [
        LedgerPayment,
        LedgerPayment,
        LedgerPayment,
        LedgerPayment,
        LedgerPayment,
        LedgerPayment,
      ]
      await capture(first)
      await capture(second)
      await submit([second.key])
      await settle(third, 11n)
      await settle(fourth, 10n)
      await fail(fifth)
      await release(sixth)
      await held({ from }, { ...rich, holdUntil: NOW - 1 })
      const outcome = await hold(payment({ from }), { observed: { balanceAtomic: 399n, blockNumber: 10n } })
      expect(outcome).toEqual({ kind: 'insufficient', openAtomic: 300n, settlingAtomic: 100n })
      await held({ from }, { observed: { balanceAtomic: 400n, blockNumber: 10n } })
    })

    test('payers do not share a balance, and neither do networks', async () => {
      const from = hex(20)
      await held({ from })
      await held()
      const elsewhere = { ...payment({ from }), network: 'eip155:8453' }
      expect(await hold(elsewhere)).toMatchObject({ kind: 'held' })
      expect(await hold(payment({ from }))).toMatchObject({ kind: 'insufficient' })
    })

    test('PAY-06 keeps the first binding for good, also after release and expiry', async () => {
      const one = await held()
      const other = { binding: 'another job' }
      expect(await hold(one, other)).toEqual({ kind: 'bound-otherwise' })
      await release(one)
      expect(await hold(one, other)).toEqual({ kind: 'bound-otherwise' })
      expect(await hold(one)).toMatchObject({ kind: 'held' })
      await ledger.audit.expireHolds(NETWORK.id, NOW + 61)
      expect(await hold(one, other)).toEqual({ kind: 'bound-otherwise' })
    })

    test.each([
      ['another payee', { to: hex(20) }],
      ['another value', { value: '99' }],
      ['another start', { validAfter: '1' }],
      ['another end', { validBefore: String(NOW + 299) }],
    ])('PAY-07 refuses a second authorization of the same nonce with %s', async (_, changes) => {
      const one = await held()
      const twin = { ...one, authorization: { ...one.authorization, ...changes } }
      expect(await hold(twin)).toEqual({ kind: 'bound-otherwise' })
      expect(await capture(twin)).toEqual({ kind: 'bound-otherwise' })
    })

    test('a repeat gets a new id and the later end; releasing the old id changes nothing', async () => {
      const one = payment()
      const [first, second] = [
        { holdId: hex(4), holdUntil: NOW + 90 },
        { holdId: hex(4), holdUntil: NOW + 30 },
      ]
      await hold(one, first)
      expect(await hold(one, second)).toMatchObject({ ...second, kind: 'held', holdUntil: NOW + 90 })
      expect(await release(one, { holdId: first.holdId })).toBe(false)
      expect(await stateOf(one)).toMatchObject({ state: 'held' })
      expect(await hold(one, { holdUntil: NOW + 120 })).toMatchObject({ holdUntil: NOW + 120 })
    })

    test('released and expired payments can be held again for the same purpose, if the balance still covers them', async () => {
      const from = hex(20)
      const one = await held({ from })
      await release(one)
      const rival = await held({ from })
      expect(await hold(one)).toMatchObject({ kind: 'insufficient' })
      await release(rival)
      expect(await hold(one)).toMatchObject({ kind: 'held' })
    })

    test('reports that a payment is in settlement, settled or finally failed', async () => {
      const { one, hash } = await submitted()
      expect(await hold(one)).toEqual({ kind: 'in-settlement', transaction: hash })
      await settle(one)
      expect(await hold(one)).toMatchObject({ kind: 'in-settlement' })
      const lost = await captured()
      await fail(lost)
      expect(await hold(lost)).toEqual({ kind: 'failed', reason: 'broke', message: 'no money' })
    })

    describe('D41 an owner has its own limits, shared by all its secrets', () => {
      const holdOf = async (owner: string, changes: Partial<PaymentToHold> = {}): Promise<HoldOutcome> =>
        await hold(payment(), { owner, secretId: hex(4), ...changes })

      test('an unlisted owner has some settlements a UTC day, holds included, and gets the number', async () => {
        const owner = hex(20)
        await sponsor(owner, 'unlisted')
        const one = payment()
        await hold(one, { owner })
        await capture(one, { owner })
        await submit([one.key])
        expect(await holdOf(owner)).toMatchObject({ kind: 'held', budget: { used: 2, limit: 3 } })
        expect(await holdOf(owner)).toMatchObject({ kind: 'held', budget: { used: 3, limit: 3 } })
        expect(await holdOf(owner)).toEqual({ kind: 'over-budget', budget: { used: 3, limit: 3 } })
        const tomorrow = NOW + 86_400
        const next = { nowSeconds: tomorrow, holdUntil: tomorrow + 60 }
        expect(await holdOf(owner, next)).toMatchObject({ kind: 'held', budget: { used: 1 } })
        expect(await ledger.owners.use(owner, NOW)).toEqual({
          sponsorship: 'unlisted',
          granted: undefined,
          settlements: 1,
          unsent: 3,
          revertedGas: 0,
        })
      })

      test('expired holds are charged too, until twice the limit of a day is settled', async () => {
        const owner = hex(20)
        await sponsor(owner, 'unlisted')
        const late: LedgerPayment[] = []
        for (let count = 0; count < 10; count += 1) {
          const one = payment()
          expect(
            await hold(one, { owner, nowSeconds: NOW + 2 * count, holdUntil: NOW + 2 * count + 1 }),
          ).toMatchObject({ kind: 'held' })
          late.push(one)
        }
        const bounds = { limits: LIMITS, nowSeconds: NOW + 30 }
        const outcomes: CaptureOutcome[] = []
        for (const one of late) outcomes.push(await capture(one, { owner, bounds }))
        expect(outcomes.filter(({ kind }) => kind === 'captured')).toHaveLength(6)
        expect(outcomes.at(-1)).toEqual({ kind: 'over-budget', budget: { used: 6, limit: 3 } })
        // It was not released, so it can be charged once the limit allows it.
        const [last] = late.slice(-1)
        if (last === undefined) throw new Error('none is late')
        const request = { payment: last, binding: 'job', owner }
        expect(
          await ledger.settlements.captureAndSubmit(lease, signed(), { ...request, bounds }),
        ).toMatchObject({
          capture: { kind: 'over-budget' },
          submitted: undefined,
        })
        await sponsor(owner, 'named')
        expect(await ledger.payments.capture({ ...request, bounds })).toMatchObject({
          kind: 'captured',
          first: true,
        })
      })

      test('many concurrent holds: no more succeed than the limit allows', async () => {
        const owner = hex(20)
        await sponsor(owner, 'unlisted')
        const outcomes = await atOnce(20, () => holdOf(owner))
        expect(outcomes.filter(({ kind }) => kind === 'held')).toHaveLength(3)
      })

      test('an owner that becomes listed gets the limit of listed owners; a named one stays named', async () => {
        const owner = hex(20)
        await sponsor(owner, 'unlisted')
        await sponsor(owner, 'listed')
        expect(await ledger.owners.use(owner, NOW)).toMatchObject({ sponsorship: 'listed' })
        await sponsor(owner, 'named')
        await sponsor(owner, 'unlisted')
        expect(await ledger.owners.use(owner, NOW)).toMatchObject({ sponsorship: 'named' })
        expect(await ledger.owners.use(hex(20), NOW)).toMatchObject({ sponsorship: 'named' })
      })

      test('an owner whose name the operator removes is unlisted, a listed one stays listed', async () => {
        const [named, unmentioned, listed] = [hex(20), hex(20), hex(20)]
        await sponsor(named, 'named')
        await sponsor(listed, 'listed')
        for (const owner of [named, unmentioned, listed, named]) await ledger.owners.unname(owner)
        const sponsorships = await Promise.all(
          [named, unmentioned, listed].map(async owner => (await ledger.owners.use(owner, NOW)).sponsorship),
        )
        expect(sponsorships).toEqual(['unlisted', 'unlisted', 'listed'])
        await sponsor(named, 'listed')
        expect(await ledger.owners.use(named, NOW)).toMatchObject({ sponsorship: 'listed' })
      })

      test('a listed owner gets a platform’s grant up to the operator’s ceiling, or the usual number', async () => {
        const limits = {
          ...LIMITS,
          dailySettlements: { ...LIMITS.dailySettlements, listed: 7 },
          grantedAtMost: 5,
        }
        const limitOf = async (granted: number | undefined, sponsorship: Sponsorship): Promise<unknown> => {
          const owner = hex(20)
          await ledger.owners.sponsor(owner, { sponsorship, granted })
          expect(await ledger.owners.use(owner, NOW)).toMatchObject({ sponsorship, granted })
          const outcome = await holdOf(owner, { limits })
          return outcome.kind === 'held' ? outcome.budget.limit : outcome.kind
        }
        expect(await limitOf(4, 'listed')).toBe(4)
        expect(await limitOf(6, 'listed')).toBe(5)
        expect(await limitOf(undefined, 'listed')).toBe(7)
        // An unlisted owner, or one named by the operator, has no grant of a platform.
        expect(await limitOf(4, 'unlisted')).toBe(3)
        expect(await limitOf(4, 'named')).toBeUndefined()
      })

      test('a limit below the used number refuses new payments, but captured ones are settled', async () => {
        const owner = hex(20)
        await sponsor(owner, 'listed', 4)
        const [one, two] = [payment(), payment()]
        for (const each of [one, two]) await hold(each, { owner })
        expect(await capture(one, { owner })).toMatchObject({ kind: 'captured' })
        await sponsor(owner, 'listed', 1)
        expect(await holdOf(owner)).toEqual({ kind: 'over-budget', budget: { used: 2, limit: 1 } })
        // Payments held before are still charged.
        expect(await capture(two, { owner })).toMatchObject({ kind: 'captured' })
        expect(await submit([one.key, two.key])).toBeDefined()
        await sponsor(owner, 'listed')
        expect(await holdOf(owner)).toMatchObject({ kind: 'held', budget: { used: 3, limit: undefined } })
      })

      test('a grant ends when it is not repeated, and removing a name leaves none', async () => {
        const owner = hex(20)
        await sponsor(owner, 'listed', 4)
        await sponsor(owner, 'listed')
        expect((await ledger.owners.use(owner, NOW)).granted).toBeUndefined()
        await sponsor(owner, 'named', 4)
        await ledger.owners.unname(owner)
        expect(await ledger.owners.use(owner, NOW)).toMatchObject({
          sponsorship: 'unlisted',
          granted: undefined,
        })
      })

      test('owners near and at their limit are counted and named; holds and sent payments count', async () => {
        const dailySettlements = { ...LIMITS.dailySettlements, listed: 5 }
        const limits = { ...LIMITS, dailySettlements, grantedAtMost: 5 }
        const [far, near, at, unnamed] = ['1', '2', '3', '4'].map(first => first + hex(20)) as [
          string,
          string,
          string,
          string,
        ]
        const count = async (seconds = NOW): Promise<object> => {
          const all = await ledger.owners.nearLimits(limits, seconds)
          const owners = all.owners.filter(one => [far, near, at, unnamed].includes(one.owner))
          return { near: all.near - before.near, at: all.at - before.at, owners }
        }
        const before = await ledger.owners.nearLimits(limits, NOW)
        for (const owner of [far, near, at]) await sponsor(owner, 'listed', 9)
        for (let held = 0; held < 3; held += 1) await holdOf(far, { limits })
        for (let held = 0; held < 5; held += 1) await holdOf(at, { limits })
        for (let held = 0; held < 6; held += 1) await holdOf(unnamed, { limits })
        const atLimit = { owner: at, used: 5, limit: 5 }
        expect(await count()).toEqual({ near: 0, at: 1, owners: [atLimit] })
        const sent = Array.from({ length: 4 }, () => payment())
        for (const one of sent) {
          await hold(one, { owner: near, limits })
          await capture(one, { owner: near })
        }
        const both = { near: 1, at: 1, owners: [{ owner: near, used: 4, limit: 5 }, atLimit] }
        expect(await count()).toEqual(both)
        await submit(sent.map(({ key }) => key))
        expect(await count()).toEqual(both)
        expect(await count(NOW + 86_400)).toMatchObject({ owners: [] })
      })

      test('has a maximum of open payments, whose holds may be prolonged', async () => {
        const owner = hex(20)
        const limits = { ...LIMITS, open: 2 }
        const one = payment()
        expect(await hold(one, { owner, limits })).toMatchObject({ kind: 'held' })
        expect(await holdOf(owner, { limits })).toMatchObject({ kind: 'held' })
        expect(await holdOf(owner, { limits })).toEqual({ kind: 'owner-too-many-open' })
        expect(await hold(one, { owner, limits })).toMatchObject({ kind: 'held' })
      })

      test('has a lower maximum for payments from accounts with code, and none of them when it is unlisted', async () => {
        const [owner, unlisted] = [hex(20), hex(20)]
        await sponsor(unlisted, 'unlisted')
        const alone = true
        expect(await holdOf(owner, { alone })).toMatchObject({ kind: 'held' })
        expect(await holdOf(owner, { alone })).toMatchObject({ kind: 'held' })
        expect(await holdOf(owner, { alone })).toEqual({ kind: 'owner-too-many-open' })
        expect(await holdOf(owner)).toMatchObject({ kind: 'held' })
        expect(await holdOf(unlisted, { alone })).toEqual({ kind: 'code-not-sponsored' })
      })

      test('gas burned by accounts with code excludes them: the payer at once, the owner after a limit', async () => {
        const [owner, from] = [hex(20), hex(20)]
        const burn = async (payer: string, revertedGas: bigint): Promise<void> => {
          const one = payment({ from: payer })
          await hold(one, { owner, alone: true })
          await capture(one, { owner })
          await submit([one.key])
          await conclude({
            key: one.key,
            from: 'submitted',
            to: 'captured',
            observedBlock: 0n,
            isFault: true,
            revertedGas,
          })
          const failure = { reason: 'burned', message: 'burned' }
          await conclude({
            key: one.key,
            from: 'captured',
            to: 'failed',
            failure,
            transaction: '',
            blamed: true,
          })
        }
        await burn(from, 400n)
        expect(await hold(payment({ from }), { owner: hex(20), alone: true })).toEqual({
          kind: 'gas-used-up',
        })
        expect(await holdOf(owner, { alone: true })).toMatchObject({ kind: 'held' })
        await burn(hex(20), 600n)
        expect(await holdOf(owner, { alone: true })).toEqual({ kind: 'gas-used-up' })
        expect(await holdOf(owner)).toMatchObject({ kind: 'held' })
      })
    })

    test('a payer with a thousand open payments gets no more until one is released; other payers do', async () => {
      const from = hex(20)
      const rich = { observed: { balanceAtomic: 10_000n, blockNumber: 10n } }
      const small = (): LedgerPayment => payment({ from, value: '1' })
      const [one, two] = [small(), small()]
      const outcomes = await Promise.all([
        hold(one, rich),
        hold(two, rich),
        ...Array.from({ length: MOST_OPEN_PAYMENTS - 2 }, () => hold(small(), rich)),
      ])
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['held']))
      const more = small()
      expect(await hold(more, rich)).toEqual({ kind: 'too-many-open' })
      // Its existing holds may be prolonged.
      expect(await hold(one, rich)).toMatchObject({ kind: 'held' })
      expect(await hold(payment({ value: '1' }))).toMatchObject({ kind: 'held' })
      await release(two)
      expect(await hold(more, rich)).toMatchObject({ kind: 'held' })
    })

    describe('PAY-09 failures count against a payer', () => {
      const lose = async (from: string, owner: string): Promise<void> => {
        const one = payment({ from })
        await hold(one, { owner })
        await capture(one, { owner })
        await fail(one)
      }
      const askFor = async (from: string, owner: string, nowSeconds = NOW): Promise<HoldOutcome> =>
        await hold(payment({ from }), { owner, nowSeconds, holdUntil: nowSeconds + 60 })

      test('an owner bars the payer for a while after failures in a row; a settlement clears the count', async () => {
        const from = hex(20)
        await lose(from, 'owner')
        await lose(from, 'owner')
        await settle(await captured({ from }), 5n)
        await lose(from, 'owner')
        await lose(from, 'owner')
        await held({ from }, { holdUntil: NOW - 1 })
        await lose(from, 'owner')
        const outcome = await askFor(from, 'owner')
        expect(outcome).toMatchObject({ kind: 'payer-barred', untilSeconds: expect.any(Number) })
        const until = outcome.kind === 'payer-barred' ? outcome.untilSeconds : 0
        expect(await askFor(from, 'owner', until)).toMatchObject({ kind: 'held' })
      })

      test('D41 other owners do not bar a payer, however many failures one owner had', async () => {
        const from = hex(20)
        const dishonest = hex(20)
        for (let count = 0; count < 3; count += 1) await lose(from, dishonest)
        expect(await askFor(from, dishonest)).toMatchObject({ kind: 'payer-barred' })
        expect(await askFor(from, hex(20))).toMatchObject({ kind: 'held' })
      })

      test('D41 all owners bar a payer that failed with several; failures with unlisted owners do not count', async () => {
        const from = hex(20)
        for (let count = 0; count < 5; count += 1) {
          const owner = hex(20)
          await sponsor(owner, 'unlisted')
          await lose(from, owner)
        }
        await lose(from, hex(20))
        expect(await askFor(from, hex(20))).toMatchObject({ kind: 'held' })
        await ledger.audit.expireHolds(NETWORK.id, NOW + 61)
        const [one, other] = [hex(20), hex(20)]
        await lose(from, one)
        await lose(from, other)
        expect(await askFor(from, hex(20))).toMatchObject({ kind: 'payer-barred' })
      })
    })
  })

  describe('capturing and releasing', () => {
    test('one of 50 concurrent captures is the first', async () => {
      const one = await held()
      const outcomes = await atOnce(50, () => capture(one))
      expect(outcomes.filter(outcome => outcome.kind === 'captured')).toHaveLength(50)
      expect(outcomes.filter(outcome => outcome.kind === 'captured' && outcome.first)).toHaveLength(1)
    })

    test('two processes that capture the same payments in opposite orders do not block each other or the sender', async () => {
      const other = await opened.again()
      const payments = Array.from({ length: 40 }, () => payment())
      const reversed = payments.toReversed()
      const holds = await Promise.all([
        ...payments.map(async one => await hold(one)),
        ...reversed.map(async one => await other.payments.hold(holdRequest(one))),
        ledger.audit.expireHolds(NETWORK.id, NOW),
        ledger.audit.markAudited(
          reversed.map(one => one.key),
          NOW,
          120,
        ),
      ])
      expect(holds.slice(0, 80).map(outcome => typeof outcome === 'object' && outcome.kind)).toEqual(
        Array.from({ length: 80 }, () => 'held'),
      )
      const captures = await Promise.all([
        ...payments.map(async one => await capture(one)),
        ...reversed.map(async one => await other.payments.capture(captureRequest(one))),
      ])
      expect(captures.filter(outcome => outcome.kind === 'captured' && outcome.first)).toHaveLength(40)
      const keys = reversed.map(one => one.key)
      const [id, ...again] = await Promise.all([
        submit(keys),
        ...payments.map(async one => await other.payments.capture(captureRequest(one))),
      ])
      expect(again.map(outcome => outcome.kind)).toEqual(payments.map(() => 'captured'))
      const [changed] = await Promise.all([
        concludeAll(
          keys.map(key => ({
            key,
            from: 'submitted',
            to: 'settled',
            transaction: hex(32),
            blockNumber: 20n,
          })),
          { transactionId: id ?? '', as: 'mined' },
        ),
        ...payments.map(async one => await other.payments.capture(captureRequest(one))),
      ])
      expect(new Set(changed)).toEqual(new Set(keys))
    })

    test('each of many concurrent captures gets its own verdict', async () => {
      const [free, poor, taken, spent] = [
        payment(),
        payment({ value: '101' }),
        await held(),
        await captured(),
      ]
      expect(
        await Promise.all([
          hold(poor),
          hold(spent),
          hold(taken, { binding: 'another job' }),
          hold(free, { holdId: 'its own' }),
        ]),
      ).toMatchObject([
        { kind: 'insufficient', openAtomic: 0n },
        { kind: 'in-settlement' },
        { kind: 'bound-otherwise' },
        { kind: 'held', holdId: 'its own', holdUntil: NOW + 60 },
      ])
      expect(
        await Promise.all([payment(), spent, taken, free].map(async one => await capture(one))),
      ).toMatchObject([
        { kind: 'absent' },
        { kind: 'captured', first: false },
        { kind: 'captured', first: true },
        { kind: 'captured', first: true },
      ])
    })

    test('the trace of the request that holds a payment is kept with it, and returned when the payment is decided', async () => {
      const one = payment()
      await hold(one, { trace: 'a'.repeat(32) })
      await hold(one)
      expect(await stateOf(one)).toMatchObject({ trace: TRACE })
      await capture(one)
      expect((await backlog()).together.find(({ key }) => key === one.key)?.trace).toBe(TRACE)
      const end = { from: 'captured', to: 'settled', transaction: hex(32), blockNumber: 12n } as const
      expect(await ledger.settlements.conclude([{ key: one.key, ...end }])).toEqual([
        { key: one.key, binding: 'job', trace: TRACE },
      ])
    })

    test('a capture and a release at the same time: one wins', async () => {
      for (let round = 0; round < 20; round += 1) {
        const one = await held()
        const { holdId } = (await stateOf(one)) ?? {}
        const [outcome, released] = await Promise.all([
          capture(one),
          ledger.payments.release({ holdId: holdId ?? '', binding: 'job', owner: 'owner' }),
        ])
        expect(outcome.kind).toBe(released ? 'released' : 'captured')
        expect((await stateOf(one))?.state).toBe(outcome.kind)
      }
    })

    test('an expired hold can be captured, a released one never', async () => {
      const late = await held()
      expect(await ledger.audit.expireHolds(NETWORK.id, NOW + 60)).toBeGreaterThan(0)
      expect((await stateOf(late))?.state).toBe('expired')
      expect(await capture(late)).toMatchObject({ kind: 'captured', first: true })
      const given = await held()
      expect(await release(given)).toBe(true)
      expect(await capture(given)).toEqual({ kind: 'released' })
      expect(await release(given)).toBe(false)
    })

    test('an expired hold can be released as well, and is never charged then', async () => {
      const late = await held()
      await ledger.audit.expireHolds(NETWORK.id, NOW + 60)
      expect(await release(late)).toBe(true)
      expect(await capture(late)).toEqual({ kind: 'released' })
    })

    test('a hold within its time does not expire', async () => {
      const one = await held()
      await ledger.audit.expireHolds(NETWORK.id, NOW + 59)
      expect((await stateOf(one))?.state).toBe('held')
    })

    test('BOLA, D10 neither another purpose nor another owner captures or releases', async () => {
      const one = await held()
      for (const other of [{ binding: 'another job' }, { owner: 'another' }]) {
        expect(await capture(one, other)).toEqual({ kind: 'bound-otherwise' })
        expect(await release(one, other)).toBe(false)
      }
      expect((await stateOf(one))?.state).toBe('held')
      expect(await release(one)).toBe(true)
    })

    test('a payment that was never held is absent', async () => {
      expect(await capture(payment())).toEqual({ kind: 'absent' })
    })

    test('returns the transaction or the failure once it is decided', async () => {
      const { one, hash } = await submitted()
      expect(await capture(one)).toEqual({ kind: 'captured', first: false, transaction: hash })
      await settle(one)
      expect(await capture(one)).toEqual({ kind: 'settled', transaction: (await stateOf(one))?.transaction })
      const lost = await captured()
      await fail(lost)
      expect(await capture(lost)).toEqual({
        kind: 'failed',
        reason: 'broke',
        message: 'no money',
        transaction: '',
      })
    })
  })

  describe('submitting', () => {
    test('the backlog shows captured payments in order, and open transactions with their payments', async () => {
      const first = await captured()
      const second = await captured()
      const before = await backlog()
      const order = before.together.map(one => one.key)
      expect(order.indexOf(first.key)).toBeGreaterThanOrEqual(0)
      expect(order.indexOf(second.key)).toBeGreaterThan(order.indexOf(first.key))
      const transaction = signed()
      const id = await ledger.settlements.submit(lease, transaction, [first.key, second.key])
      const after = await backlog()
      expect(after.together.map(one => one.key)).not.toContain(first.key)
      expect(after.open).toHaveLength(1)
      expect(after.open[0]).toMatchObject({ ...transaction, id, hashes: [transaction.hash] })
      expect(after.open[0]?.payments.map(one => one.key)).toEqual([first.key, second.key])
      expect(await stateOf(first)).toMatchObject({ state: 'submitted', transaction: transaction.hash })
    })

    test('a payment that failed by itself waits behind payments of its payer that did not', async () => {
      const from = hex(20)
      const failedOnce = await submitted({ from, value: '1', validBefore: String(NOW + 100) })
      await conclude({
        key: failedOnce.one.key,
        from: 'submitted',
        to: 'captured',
        observedBlock: 0n,
        isFault: true,
      })
      const fresh = await captured({ from, value: '1' })
      const order = (await backlog()).together.map(one => one.key)
      expect(order.indexOf(failedOnce.one.key)).toBeGreaterThan(order.indexOf(fresh.key))
    })

    describe('D41 taking turns', () => {
      /** A separate network, so that payments of other tests get no turn. */
      const stageTurns = (): {
        readonly wait: (
          owner: string,
          changes?: Partial<LedgerPayment['authorization']>,
          alone?: boolean,
        ) => Promise<LedgerPayment>
        readonly turns: (together: number, relayer?: string) => Promise<readonly string[]>
        readonly network: string
      } => {
        const network = `eip155:${hex(4)}`
        const wait = async (
          owner: string,
          changes: Partial<LedgerPayment['authorization']> = {},
          alone = false,
        ): Promise<LedgerPayment> => {
          const one = { ...payment(changes), network }
          expect(await hold(one, { owner, alone })).toMatchObject({ kind: 'held' })
          await capture(one, { owner })
          return one
        }
        const turns = async (together: number, relayer = lease.relayer): Promise<readonly string[]> =>
          (
            await ledger.settlements.backlog(
              { network, relayers: [relayer], holder: `of ${relayer}` },
              { together, alone: 10 },
            )
          ).together.map(one => one.key)
        return { wait, turns, network }
      }

      test('owners take turns, however many payments one of them has waiting', async () => {
        const { wait, turns } = stageTurns()
        const [many, few] = [hex(20), hex(20)]
        for (let count = 0; count < 20; count += 1) await wait(many)
        const [first, second] = [await wait(few), await wait(few)]
        expect(await turns(4)).toEqual(expect.arrayContaining([first.key, second.key]))
      })

      test('the payers of one owner take turns', async () => {
        const { wait, turns } = stageTurns()
        const [owner, from] = [hex(20), hex(20)]
        for (let count = 0; count < 20; count += 1) await wait(owner, { from, value: '1' })
        const other = await wait(owner)
        expect(await turns(2)).toContain(other.key)
      })

      test('a payment that a process claims and does not send goes to another process after a few seconds', async () => {
        const { wait, turns, network } = stageTurns()
        const one = await wait(hex(20))
        const [stuck, other] = [hex(20), hex(20)]
        for (const relayer of [stuck, other])
          await ledger.leases.acquire({ network, relayer }, relayer, 60_000)
        expect(await turns(1, stuck)).toEqual([one.key])
        const taken = await until(async () => {
          // This process reads the backlog before the other one each time.
          await turns(1, stuck)
          const keys = await turns(1, other)
          return keys.length > 0 && keys
        }, 300)
        expect(taken).toEqual([one.key])
      })

      test('the authorization that expires first goes first within a turn', async () => {
        const { wait, turns } = stageTurns()
        const late = await wait(hex(20), { validBefore: String(NOW + 900) })
        const soon = await wait(hex(20), { validBefore: String(NOW + 90) })
        const middle = await wait(hex(20), { validBefore: String(NOW + 300) })
        expect(await turns(3)).toEqual([soon.key, middle.key, late.key])
      })

      test('a payment whose transaction failed through no fault of its own goes first', async () => {
        const { wait, turns, network } = stageTurns()
        const harmed = await wait(hex(20), { validBefore: String(NOW + 900) })
        const account = { network, relayer: lease.relayer }
        const taken = await ledger.leases.acquire(account, 'holder', 60_000)
        if (taken === undefined) throw new Error('no lease')
        await ledger.settlements.submit(taken, signed(), [harmed.key])
        const urgent = await wait(hex(20), { validBefore: String(NOW + 90) })
        await conclude({ key: harmed.key, from: 'submitted', to: 'captured', observedBlock: 0n })
        expect(await turns(2)).toEqual([harmed.key, urgent.key])
        expect(await stateOf(harmed)).toMatchObject({ attempts: 1, faults: 0 })
      })

      test('payments of accounts with code have their own lane, also once they turn out to have code', async () => {
        const { wait, turns, network } = stageTurns()
        const alone = await wait(hex(20), {}, true)
        const later = await wait(hex(20))
        const ordinary = await wait(hex(20))
        await conclude({ key: later.key, from: 'captured', to: 'captured', observedBlock: 0n, hasCode: true })
        expect(await turns(10)).toEqual([ordinary.key])
        expect((await backlog({ network })).alone.map(one => one.key)).toEqual([alone.key, later.key])
        expect(await stateOf(later)).toMatchObject({ attempts: 0, alone: true })
      })

      test('a payer whose code has burned gas loses its waiting payments in that lane, other payers lose none', async () => {
        const { wait } = stageTurns()
        const [from, owner] = [hex(20), hex(20)]
        const burned = await wait(owner, { from, value: '1' }, true)
        const dropped = await wait(owner, { from, value: '1' }, true)
        const other = await wait(hex(20), {}, true)
        const failure = { reason: 'burned', message: 'gas was burned' }
        const changed = await conclude({
          key: burned.key,
          from: 'captured',
          to: 'failed',
          failure,
          transaction: '',
          blamed: true,
          dropsPayer: true,
        })
        expect([...changed].sort()).toEqual([burned.key, dropped.key].sort())
        expect(await stateOf(dropped)).toMatchObject({ state: 'failed', failure, attempts: 0 })
        expect(await stateOf(other)).toMatchObject({ state: 'captured' })
      })

      test('of several equal concurrent conclusions about a payment, one changes it', async () => {
        const { wait } = stageTurns()
        const one = await wait(hex(20), {}, true)
        const changed = await atOnce(5, () => fail(one))
        expect(changed.flat()).toEqual([one.key])
      })

      test('relayers that work at the same time get different payments, and a dead one keeps none', async () => {
        const { wait, turns, network } = stageTurns()
        const relayers = [hex(20), hex(20), hex(20)]
        for (const relayer of relayers) await ledger.leases.acquire({ network, relayer }, 'holder', 60_000)
        for (let count = 0; count < 9; count += 1) await wait(hex(20))
        const given = await Promise.all(relayers.map(async relayer => await turns(3, relayer)))
        expect(new Set(given.flat()).size).toBe(given.flat().length)
        expect(given.flat()).toHaveLength(9)
        // It gets its own payments again.
        expect(new Set(await turns(3, relayers[0]))).toEqual(new Set(given[0]))
        const seen = new Set<string>()
        const look = async (): Promise<number> => {
          for (const key of await turns(9, relayers[1])) seen.add(key)
          return seen.size
        }
        await expect.poll(look).toBe(9)
      })
    })

    test('open transactions of an account whose lease is free are counted, by account', async () => {
      const network = `eip155:${nonce + 1_000}`
      const account = { network, relayer: hex(20) }
      const taken = await ledger.leases.acquire(account, 'holder', 60_000)
      if (taken === undefined) throw new Error('no lease')
      for (const one of [await captured(), await captured()])
        expect(await ledger.settlements.submit(taken, signed(), [one.key])).toBeDefined()
      expect(await ledger.settlements.unattended(network)).toEqual([])
      await ledger.leases.giveUp(taken)
      expect(await ledger.settlements.unattended(network)).toEqual([
        { relayer: account.relayer, transactions: 2 },
      ])
    })

    test('captured and saved in one step: the payment is in its transaction, and counted', async () => {
      const one = await held({}, { owner: 'fast' })
      const transaction = signed()
      const request = { ...captureRequest(one), owner: 'fast' }
      const before = (await ledger.owners.use('fast', NOW)).settlements
      const { capture, submitted } = await ledger.settlements.captureAndSubmit(lease, transaction, request)
      expect(capture).toEqual({ kind: 'captured', first: true, transaction: '' })
      const row = await stateOf(one)
      expect(row).toMatchObject({ state: 'submitted', transaction: transaction.hash })
      expect(submitted?.payment).toEqual(row)
      const { open } = await backlog()
      expect(open).toMatchObject([{ id: submitted?.id, nonce: transaction.nonce, payments: [row] }])
      expect((await ledger.owners.use('fast', NOW)).settlements).toBe(before + 1)
    })

    test('captured in one step with a used nonce, or without the lease, it waits for its turn', async () => {
      const [first, second, third] = [await held(), await held(), await held()]
      const transaction = signed()
      const { captureAndSubmit } = ledger.settlements
      await captureAndSubmit(lease, transaction, captureRequest(first))
      const taken = await captureAndSubmit(
        lease,
        { ...signed(), nonce: transaction.nonce },
        captureRequest(second),
      )
      const lost = { ...lease, fence: lease.fence + 1n }
      const without = await captureAndSubmit(lost, signed(), captureRequest(third))
      for (const [outcome, one] of [
        [taken, second],
        [without, third],
      ] as const) {
        expect(outcome).toEqual({
          capture: { kind: 'captured', first: true, transaction: '' },
          submitted: undefined,
        })
        expect((await stateOf(one))?.state).toBe('captured')
      }
    })

    test('D41 a payment of an account with code is captured but not saved: it has its own lane', async () => {
      const one = await held({}, { alone: true })
      const { submitted } = await ledger.settlements.captureAndSubmit(lease, signed(), captureRequest(one))
      expect(submitted).toBeUndefined()
      expect((await stateOf(one))?.state).toBe('captured')
    })

    test('a capture without a hold changes nothing and saves nothing', async () => {
      const { one, hash } = await submitted()
      const known = await ledger.settlements.captureAndSubmit(lease, signed(), captureRequest(one))
      expect(known).toEqual({
        capture: { kind: 'captured', first: false, transaction: hash },
        submitted: undefined,
      })
      const absent = await ledger.settlements.captureAndSubmit(lease, signed(), captureRequest(payment()))
      expect(absent).toEqual({ capture: { kind: 'absent' }, submitted: undefined })
      expect((await backlog()).open).toHaveLength(1)
    })

    test('50 concurrent charges of one payment, in either way: one of them is the first', async () => {
      const one = await held()
      const charge = async (): Promise<CaptureOutcome> =>
        (await ledger.settlements.captureAndSubmit(lease, signed(), captureRequest(one))).capture
      const outcomes = await atOnce(50, index => (index % 2 === 0 ? capture(one) : charge()))
      expect(outcomes.filter(outcome => outcome.kind === 'captured' && outcome.first)).toHaveLength(1)
    })

    test('is all or nothing: with one payment that is not captured nothing is saved', async () => {
      const good = await captured()
      const bad = await held()
      expect(await submit([good.key, bad.key])).toBeUndefined()
      expect((await stateOf(good))?.state).toBe('captured')
      expect((await backlog()).open).toEqual([])
    })

    test('two processes submit the same payment at once: one gets it', async () => {
      const one = await captured()
      const ids = await Promise.all(
        [signed(), signed()].map(
          async transaction => await ledger.settlements.submit(lease, transaction, [one.key]),
        ),
      )
      expect(ids.filter(id => id !== undefined)).toHaveLength(1)
      expect((await backlog()).open).toHaveLength(1)
    })

    test('PAY-31 a nonce belongs to one open transaction', async () => {
      const [one, other] = [await captured(), await captured()]
      const transaction = signed()
      expect(await ledger.settlements.submit(lease, transaction, [one.key])).toEqual(expect.any(String))
      expect(
        await ledger.settlements.submit(lease, { ...signed(), nonce: transaction.nonce }, [other.key]),
      ).toBeUndefined()
      expect((await stateOf(other))?.state).toBe('captured')
    })

    test('a sender that lost its lease submits and replaces nothing', async () => {
      const { id } = await submitted()
      const one = await captured()
      await ledger.leases.giveUp(lease)
      expect(await submit([one.key])).toBeUndefined()
      expect(await ledger.settlements.replace(lease, id, signed())).toBe(false)
      expect((await stateOf(one))?.state).toBe('captured')
    })

    test('a replacement keeps every hash and becomes the transaction of its payments', async () => {
      const { one, id, hash } = await submitted()
      const { nonce: _, ...higher } = signed()
      expect(await ledger.settlements.replace(lease, id, higher)).toBe(true)
      const { open } = await backlog()
      expect(open[0]).toMatchObject({ ...higher, hashes: [hash, higher.hash] })
      expect((await stateOf(one))?.transaction).toBe(higher.hash)
    })

    test('the work that a lost process saved is available to the next', async () => {
      const { one, id } = await submitted()
      const waiting = await captured()
      const next = await opened.again()
      const { open, together } = await backlog({}, next)
      expect(open.map(transaction => transaction.id)).toEqual([id])
      expect(open[0]?.payments.map(payment => payment.key)).toEqual([one.key])
      expect(together.map(payment => payment.key)).toContain(waiting.key)
    })
  })

  describe('concluding', () => {
    test('closes the transaction and records each payment', async () => {
      const [paid, unpaid, lost] = [await captured(), await captured(), await captured()]
      const transaction = signed()
      const id = await ledger.settlements.submit(lease, transaction, [paid.key, unpaid.key, lost.key])
      const changed = await concludeAll(
        [
          {
            key: paid.key,
            from: 'submitted',
            to: 'settled',
            transaction: transaction.hash,
            blockNumber: 33n,
          },
          { key: unpaid.key, from: 'submitted', to: 'captured', observedBlock: 33n },
          {
            key: lost.key,
            from: 'submitted',
            to: 'failed',
            failure: { reason: 'r', message: 'm' },
            transaction: transaction.hash,
            blamed: false,
          },
        ],
        { transactionId: id ?? '', as: 'mined' },
      )
      expect([...changed].sort()).toEqual([paid.key, unpaid.key, lost.key].sort())
      expect(await stateOf(paid)).toMatchObject({
        state: 'settled',
        transaction: transaction.hash,
        blockNumber: 33n,
      })
      expect(await stateOf(unpaid)).toMatchObject({
        state: 'captured',
        attempts: 1,
        observedBlock: 33n,
        transaction: '',
      })
      expect(await stateOf(lost)).toMatchObject({ state: 'failed', failure: { reason: 'r', message: 'm' } })
      expect((await backlog()).open).toEqual([])
    })

    test('counts only in the state in which it was decided', async () => {
      const { one } = await submitted()
      await settle(one)
      expect(await conclude({ key: one.key, from: 'submitted', to: 'captured', observedBlock: 1n })).toEqual(
        [],
      )
      expect((await stateOf(one))?.state).toBe('settled')
    })

    test('PAY-18 a settled payment that a reorganisation removed is captured again', async () => {
      const { one } = await submitted()
      await settle(one)
      await conclude({ key: one.key, from: 'settled', to: 'captured', observedBlock: 0n })
      expect(await stateOf(one)).toMatchObject({ state: 'captured', blockNumber: undefined })
    })

    test('PAY-16 a payment settled by a foreign transaction is settled, whatever its state was', async () => {
      for (const state of ['held', 'released', 'failed'] as const) {
        const one = state === 'failed' ? await captured() : await held()
        if (state === 'released') await release(one)
        if (state === 'failed') await fail(one)
        expect((await stateOf(one))?.state).toBe(state)
        expect(await settle(one)).toEqual([one.key])
        expect(await stateOf(one)).toMatchObject({ state: 'settled', failure: undefined })
      }
    })
  })

  describe('leases', () => {
    const account = (): { network: string; relayer: string } => ({ network: NETWORK.id, relayer: hex(20) })

    test('one holder at a time; renewing keeps the fence, the next holder gets a higher one', async () => {
      const relayer = account()
      const mine = await ledger.leases.acquire(relayer, 'one', 60_000)
      expect(await ledger.leases.acquire(relayer, 'two', 60_000)).toBeUndefined()
      expect((await ledger.leases.acquire(relayer, 'one', 60_000))?.fence).toBe(mine?.fence)
      if (mine !== undefined) await ledger.leases.giveUp(mine)
      const theirs = await ledger.leases.acquire(relayer, 'two', 60_000)
      expect(theirs?.fence).toBeGreaterThan(mine?.fence ?? 0n)
      if (mine !== undefined) await ledger.leases.giveUp(mine)
      expect(await ledger.leases.acquire(relayer, 'one', 60_000)).toBeUndefined()
    })

    test('an expired lease is taken over', async () => {
      const relayer = account()
      const dead = await ledger.leases.acquire(relayer, 'one', 0)
      await sleep(clock, 5)
      const next = await ledger.leases.acquire(relayer, 'two', 60_000)
      expect(next?.fence).toBeGreaterThan(dead?.fence ?? 0n)
    })

    test('20 processes request the lease at once: one gets it', async () => {
      const relayer = account()
      const taken = await atOnce(20, index => ledger.leases.acquire(relayer, `holder ${index}`, 60_000))
      expect(taken.filter(one => one !== undefined)).toHaveLength(1)
    })
  })

  describe('auditing', () => {
    const uncharged = async (auditedBefore = NOW + 10_000): Promise<readonly PaymentRecord[]> =>
      await ledger.audit.uncharged(NETWORK.id, 120, { auditedBefore, limit: 10_000 })

    test('settled rows are found from a block on', async () => {
      const [early, late] = [await captured(), await captured()]
      await settle(early, 500_000n)
      await settle(late, 500_001n)
      const keys = (await ledger.audit.settledSince(NETWORK.id, 500_001n, 10)).map(one => one.key)
      expect(keys).toEqual([late.key])
    })

    test('settled rows are listed by the time since their settlement, until they are confirmed', async () => {
      const one = await captured()
      await settle(one, 600_000n)
      const isListed = async (age: Parameters<typeof ledger.audit.unconfirmed>[1]): Promise<boolean> =>
        (await ledger.audit.unconfirmed(NETWORK.id, age, 10_000)).some(row => row.key === one.key)
      expect(await isListed({ belowSeconds: 60 })).toBe(true)
      expect(await isListed({ fromSeconds: 60 })).toBe(false)
      expect(await isListed({ fromSeconds: 0 })).toBe(true)
      await ledger.audit.confirm([one.key])
      expect(await isListed({ belowSeconds: 60 })).toBe(false)
      expect(await ledger.audit.settledSince(NETWORK.id, 600_000n, 10)).toEqual([])
    })

    test('a row that was settled once keeps that mark, and one that is settled again is audited again', async () => {
      const one = await captured()
      expect((await stateOf(one))?.wasSettled).toBe(false)
      await settle(one, 700_000n)
      await ledger.audit.confirm([one.key])
      await conclude({ key: one.key, from: 'settled', to: 'captured', observedBlock: 0n })
      expect(await stateOf(one)).toMatchObject({ state: 'captured', wasSettled: true })
      await conclude({
        key: one.key,
        from: 'captured',
        to: 'settled',
        transaction: '0xaa',
        blockNumber: 700_001n,
      })
      const keys = (await ledger.audit.settledSince(NETWORK.id, 700_001n, 10)).map(({ key }) => key)
      expect(keys).toEqual([one.key])
    })

    test('a lost charge is recorded once, and recording it again succeeds only for its job', async () => {
      const one = await held()
      await release(one)
      const relayer = hex(20)
      await ledger.leases.acquire({ network: NETWORK.id, relayer }, 'holder', 60_000)
      const proof = { transaction: hex(32), blockNumber: 800_000n }
      const charge = { payment: one, binding: 'job', owner: 'owner', secretId: 'secret', relayer, ...proof }
      // The reconciler does the same at the same time.
      await conclude({ key: one.key, from: 'released', to: 'settled', ...proof })
      expect(await ledger.audit.adopt(charge)).toBe(true)
      expect(await ledger.audit.adopt(charge)).toBe(true)
      expect(await ledger.audit.adopt({ ...charge, binding: 'another job' })).toBe(false)
      expect(await ledger.audit.adopt({ ...charge, owner: 'another owner' })).toBe(false)
      expect(await ledger.audit.adopt({ ...charge, transaction: hex(32) })).toBe(false)
      expect(await stateOf(one)).toMatchObject({ state: 'settled', ...proof })
    })

    test('uncharged rows are checked until their authorization can never be used', async () => {
      const one = await held({ validBefore: String(NOW + 300) })
      await release(one)
      const isListed = async (): Promise<boolean> => (await uncharged()).some(row => row.key === one.key)
      expect(await isListed()).toBe(true)
      await ledger.audit.markAudited([one.key], NOW + 420, 120)
      expect(await isListed()).toBe(true)
      await ledger.audit.markAudited([one.key], NOW + 421, 120)
      expect(await isListed()).toBe(false)
    })

    test('rows checked since a time are not returned again for it', async () => {
      const one = await held()
      await release(one)
      await ledger.audit.markAudited([one.key], NOW + 50, 120)
      const isListed = async (auditedBefore: number): Promise<boolean> =>
        (await uncharged(auditedBefore)).some(({ key }) => key === one.key)
      expect([await isListed(NOW + 50), await isListed(NOW + 51)]).toEqual([false, true])
    })

    test('failed rows are checked before released ones, however many there are', async () => {
      const lost = await captured()
      await fail(lost)
      await ledger.audit.markAudited([lost.key], NOW, 120)
      for (let count = 0; count < 5; count += 1) {
        const one = await held()
        await release(one)
      }
      const states = (await uncharged()).map(({ state }) => state)
      expect(states.lastIndexOf('failed')).toBeLessThan(states.indexOf('released'))
    })

    test('rows that can never be charged are deleted some time after their last check; failed or paid ones stay', async () => {
      const [released, open, lost, paid] = [
        await held({ validBefore: String(NOW + 300) }),
        await held(),
        await captured(),
        await captured(),
      ]
      await release(released)
      await fail(lost)
      await settle(paid)
      await ledger.audit.markAudited([released.key, lost.key], NOW + 420, 120)
      await ledger.audit.forgetUnused(NETWORK.id, 120, NOW + 500)
      expect(await stateOf(released)).toBeDefined()
      await ledger.audit.markAudited([released.key, lost.key], NOW + 421, 120)
      await ledger.audit.forgetUnused(NETWORK.id, 120, NOW + 421)
      expect(await stateOf(released)).toBeDefined()
      expect(await ledger.audit.forgetUnused(NETWORK.id, 120, NOW + 422)).toBeGreaterThan(0)
      expect(await stateOf(released)).toBeUndefined()
      const kept = await Promise.all([open, lost, paid].map(async one => (await stateOf(one))?.state))
      expect(kept).toEqual(['held', 'failed', 'settled'])
    })

    test('a payment that is held again is audited again', async () => {
      const one = await held({ validBefore: String(NOW + 300) })
      await release(one)
      await ledger.audit.markAudited([one.key], NOW + 421, 120)
      expect(await hold(one)).toMatchObject({ kind: 'held' })
      await release(one)
      const keys = (await uncharged()).map(({ key }) => key)
      expect(keys).toContain(one.key)
    })

    test('totals count open payments', async () => {
      const before = await ledger.totals(NETWORK.id, NOW)
      await held()
      await captured()
      await submitted()
      const after = await ledger.totals(NETWORK.id, NOW)
      expect(after).toMatchObject({
        held: before.held + 1,
        heldAtomic: before.heldAtomic + 100n,
        captured: before.captured + 1,
        submitted: before.submitted + 1,
      })
      // The ledger in memory keeps no times.
      expect(after.oldestPendingSeconds ?? 0).toBeGreaterThanOrEqual(0)
      expect(after.oldestPendingSeconds ?? 0).toBeLessThan(3_600)
    })
  })

  describe('secrets', () => {
    const secret = (owner: string): Parameters<Ledger['secrets']['create']>[0] => ({
      id: hex(8),
      hash: randomBytes(32),
      owner,
      wallets: [PAY_TO],
      createdAt: NOW,
      revokedAt: null,
      label: null,
      replaces: null,
      lastUsedAt: null,
    })

    test('are stored unchanged', async () => {
      const one = secret(hex(4))
      await ledger.secrets.create(one)
      const found = await ledger.secrets.find(one.id)
      expect(found && { ...found, hash: Buffer.from(found.hash).toString('hex') }).toEqual({
        ...one,
        hash: Buffer.from(one.hash).toString('hex'),
      })
      expect(await ledger.secrets.find('nobody')).toBeUndefined()
    })

    test('a secret and the reason for paying its owner’s gas are written together, or neither', async () => {
      const [owner, named] = [hex(20), hex(20)]
      await sponsor(named, 'named')
      for (const one of [owner, named])
        expect(await ledger.secrets.create(secret(one), { sponsorship: 'unlisted' })).toBe(true)
      expect(await ledger.owners.use(owner, NOW)).toMatchObject({ sponsorship: 'unlisted' })
      expect(await ledger.owners.use(named, NOW)).toMatchObject({ sponsorship: 'named' })
      expect(await ledger.secrets.create(secret(owner), { sponsorship: 'unlisted' })).toBe(true)
      expect(await ledger.secrets.create(secret(owner), { sponsorship: 'named' })).toBe(false)
      expect(await ledger.owners.use(owner, NOW)).toMatchObject({ sponsorship: 'unlisted' })
    })

    test('two secrets of an owner are active at once, also when ten are created at the same time', async () => {
      const owner = hex(4)
      const made = await atOnce(10, () => ledger.secrets.create(secret(owner)))
      expect(made.filter(Boolean)).toHaveLength(2)
      const [first] = await ledger.secrets.list({ owner })
      await ledger.secrets.change(first?.id ?? '', { revokedAt: NOW + 1 })
      expect(await ledger.secrets.create(secret(owner))).toBe(true)
      expect(await ledger.secrets.list({ owner })).toHaveLength(3)
    })

    test('secrets are found by the wallets that they may take payments to, for all owners', async () => {
      const [wallet, other] = [hex(20), hex(20)]
      const [one, two] = [secret(hex(4)), secret(hex(4))]
      await ledger.secrets.create({ ...one, wallets: [wallet, other] })
      await ledger.secrets.create({ ...two, wallets: [other] })
      const found = async (...wallets: readonly string[]): Promise<readonly string[]> =>
        (await ledger.secrets.list({ wallets })).map(({ id }) => id).sort()
      expect(await found(wallet)).toEqual([one.id])
      expect(await found(wallet, other)).toEqual([one.id, two.id].sort())
      expect(await found(hex(20))).toEqual([])
    })

    test('wallets change; a revocation keeps its first time', async () => {
      const one = secret(hex(4))
      await ledger.secrets.create(one)
      expect(await ledger.secrets.change(one.id, { wallets: [hex(20)] })).toMatchObject({
        wallets: [expect.not.stringMatching(PAY_TO)],
      })
      expect(await ledger.secrets.change(one.id, { revokedAt: 5 })).toMatchObject({ revokedAt: 5 })
      expect(await ledger.secrets.change(one.id, { revokedAt: 6 })).toMatchObject({ revokedAt: 5 })
      expect(await ledger.secrets.change(one.id, { lastUsedAt: 120 })).toMatchObject({ lastUsedAt: 120 })
      expect(await ledger.secrets.change(one.id, { lastUsedAt: 60 })).toMatchObject({ lastUsedAt: 120 })
      expect(await ledger.secrets.change('nobody', { revokedAt: 6 })).toBeUndefined()
    })
  })
})
