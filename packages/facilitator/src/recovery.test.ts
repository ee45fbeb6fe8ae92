import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRelayer } from './relayer/account/relayer-account.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { PaymentRecord } from './ledger/payment-record.ts'
import {
  releaseOf,
  facilitatorRequest,
  freshBinding,
  NETWORK,
  PAY_TO,
  PRICE,
  signAuthorization,
  type PaymentChanges,
} from './test-setup/payments-for-tests.ts'
import { hasPostgres, startStack, type RunningFacilitator, type Stack } from './test-setup/start-stack.ts'
import { openToken, type TokenForTests } from './test-setup/token-for-tests.ts'

/**
 * The facilitator dies between every two steps, or the chain loses what it had: the next one must find its
 * way from the ledger and the chain alone (threats 1.3, PAY-13, PAY-18, PAY-22).
 */
describe.runIf(await hasPostgres())('after a crash', () => {
  let stack: Stack
  let token: TokenForTests
  /** How far the time has advanced, for the chain and for facilitators with this clock. */
  let aheadMs: number
  const movedClock = { ...systemClock, nowMs: () => Date.now() + aheadMs }

  beforeEach(async () => {
    aheadMs = 0
    stack = await startStack()
    token = openToken(stack.rpc, stack.crypto)
  })
  afterEach(async () => await stack.stop())

  interface Payment {
    readonly request: FacilitatorRequest
    readonly payer: string
    readonly from: string
    readonly key: string
    readonly signed: Awaited<ReturnType<typeof signAuthorization>>
  }
  const createPayment = async (balance = PRICE, changes: PaymentChanges = {}): Promise<Payment> => {
    const payer = await stack.createPayer(balance)
    const signed = await signAuthorization(stack.crypto, payer, changes)
    const { from, nonce } = signed.authorization
    return {
      signed,
      payer,
      from,
      key: `84532:${NETWORK.asset.address}:${from}:${nonce}`,
      request: facilitatorRequest(signed, { binding: freshBinding() }),
    }
  }
  const verify = async (by: RunningFacilitator, { request }: Payment): Promise<void> =>
    expect(await by.verify(request)).toMatchObject({ kind: 'valid' })
  const rowOf = async ({ key }: Payment): Promise<PaymentRecord | undefined> =>
    (await observer.payments.find([key]))[0]
  let observer: Ledger
  beforeEach(async () => {
    observer = await stack.openLedger()
  })

  /** The ledger of a process that will die: the lease is not released, and some steps never happen. */
  const dying = async (lost: { readonly submit?: true; readonly conclude?: true } = {}): Promise<Ledger> => {
    const ledger = await stack.openLedger()
    const never = async (): Promise<never> => await Promise.reject(new Error('the process died here'))
    // As with a used nonce: the capture is recorded, the transaction is not.
    const captureAndSubmit: typeof ledger.settlements.captureAndSubmit = async (
      _lease,
      _signed,
      request,
    ) => ({ capture: await ledger.payments.capture(request), submitted: undefined })
    const settlements = {
      ...ledger.settlements,
      ...(lost.submit && { submit: never, captureAndSubmit }),
      ...(lost.conclude && { conclude: never }),
    }
    return {
      ...ledger,
      settlements,
      leases: { ...ledger.leases, giveUp: async () => await Promise.resolve() },
    }
  }
  /** A node that discards transactions. */
  const deaf = (): JsonRpc => ({
    ...stack.rpc,
    call: async (method, ...rest) => {
      if (method.startsWith('eth_sendRawTransaction')) throw new Error('the process died here')
      return await stack.rpc.call(method, ...rest)
    },
  })
  /** Transactions without a block are replaced soon. */
  const SOON = { limits: { stuckAfterMs: 1_000 } }
  const IMPATIENT = { limits: { settleWaitMs: 300, stuckAfterMs: 1_000 } }
  const becomes = async (payment: Payment, state: PaymentRecord['state']): Promise<void> =>
    await expect.poll(async () => (await rowOf(payment))?.state).toBe(state)
  const countSent = (by: RunningFacilitator, block = 'latest'): Promise<unknown> =>
    stack.rpc.call('eth_getTransactionCount', [by.relayers[0], block])
  const createPayments = async (count: number): Promise<readonly Payment[]> => {
    const payments: Payment[] = []
    for (let index = 0; index < count; index += 1) payments.push(await createPayment())
    return payments
  }
  /** A process accepts payments, is asked to settle them, and dies at the configured step. */
  const dieWith = async (
    payments: readonly Payment[],
    options: Parameters<Stack['startFacilitator']>[0],
  ): Promise<RunningFacilitator> => {
    const facilitator = await stack.startFacilitator({ ...IMPATIENT, ...options })
    for (const payment of payments) {
      await verify(facilitator, payment)
      expect((await facilitator.settle(payment.request)).kind).toBe('unknown')
    }
    await facilitator.close()
    return facilitator
  }
  const settlesWith = async (by: RunningFacilitator, payment: Payment): Promise<string> => {
    const outcome = await by.settle(payment.request)
    expect(outcome).toMatchObject({ kind: 'settled' })
    expect(await token.countTransfers(payment.from)).toBe(1)
    return outcome.kind === 'settled' ? outcome.transaction : ''
  }

  test('PAY-22 a crash between hold and capture: the hold remains, and is settled', async () => {
    const payment = await createPayment()
    const first = await stack.startFacilitator({ ledger: await dying() })
    await verify(first, payment)
    await first.close()
    await settlesWith(await stack.startFacilitator(), payment)
  })

  test('PAY-22 a crash between capture and transaction: the next process settles it, with or without a request', async () => {
    const payment = await createPayment()
    await dieWith([payment], { ledger: await dying({ submit: true }) })
    expect((await rowOf(payment))?.state).toBe('captured')
    const next = await stack.startFacilitator()
    await becomes(payment, 'settled')
    await settlesWith(next, payment)
  })

  test('PAY-22 a crash between saving a transaction and sending it: the same transaction is sent', async () => {
    const payment = await createPayment()
    await dieWith([payment], { ledger: await dying(), rpc: deaf() })
    const saved = await rowOf(payment)
    expect(saved).toMatchObject({
      state: 'submitted',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(await settlesWith(await stack.startFacilitator(), payment)).toBe(saved?.transaction)
  })

  test('PAY-22 a crash between report and record of a settlement: the next process reports the same', async () => {
    const payment = await createPayment()
    const first = await stack.startFacilitator({ ledger: await dying({ conclude: true }), ...IMPATIENT })
    await verify(first, payment)
    const told = await settlesWith(first, payment)
    await first.close()
    const saved = await rowOf(payment)
    expect(saved).toMatchObject({ state: 'submitted', transaction: told })
    const sent = await countSent(first)
    expect(await settlesWith(await stack.startFacilitator(), payment)).toBe(saved?.transaction)
    expect(await countSent(first)).toBe(sent)
  })

  test('PAY-22 a charge that is saved while the ledger’s answer is lost is sent once, with or without a request', async () => {
    const payment = await createPayment()
    const ledger = await stack.openLedger()
    let isLost = false
    const settlements: Ledger['settlements'] = {
      ...ledger.settlements,
      async captureAndSubmit(...charge) {
        const charged = await ledger.settlements.captureAndSubmit(...charge)
        if (isLost) return charged
        isLost = true
        throw new Error('the connection broke here')
      },
    }
    const facilitator = await stack.startFacilitator({ ledger: { ...ledger, settlements } })
    await verify(facilitator, payment)
    // It is unknown here, unless another pass has sent the transaction and seen it in a block meanwhile.
    expect((await facilitator.settle(payment.request)).kind).not.toBe('failed')
    await becomes(payment, 'settled')
    const hash = (await rowOf(payment))?.transaction
    expect(await settlesWith(facilitator, payment)).toBe(hash)
    // Its nonce counts as used.
    const next = await createPayment()
    await verify(facilitator, next)
    await settlesWith(facilitator, next)
    expect(await countSent(facilitator)).toBe('0x2')
  })

  test('PAY-15 a repeat after the settlement gets the same response, also with an empty wallet', async () => {
    const payment = await createPayment()
    const first = await stack.startFacilitator({ ledger: await dying() })
    await verify(first, payment)
    const hash = await settlesWith(first, payment)
    await first.close()
    expect(await settlesWith(await stack.startFacilitator(), payment)).toBe(hash)
  })

  test('PAY-16 a saved, unsent transaction whose payment an observer settled is not counted twice', async () => {
    const payment = await createPayment(PRICE * 2n)
    await dieWith([payment], { ledger: await dying(), rpc: deaf() })
    const foreign = await token.submitForeign(payment.signed)
    expect(await settlesWith(await stack.startFacilitator(), payment)).toBe(foreign)
  })

  test('PAY-13 a transaction that the node dropped is sent again', async () => {
    const payment = await createPayment()
    const facilitator = await stack.startFacilitator(IMPATIENT)
    await verify(facilitator, payment)
    await stack.rpc.call('evm_setAutomine', [false])
    expect(await facilitator.settle(payment.request)).toMatchObject({ kind: 'unknown' })
    const hash = (await rowOf(payment))?.transaction
    expect(await stack.rpc.call('anvil_dropTransaction', [hash])).toBe(hash)
    await stack.rpc.call('evm_setAutomine', [true])
    await becomes(payment, 'settled')
    expect(await token.countTransfers(payment.from)).toBe(1)
  })

  test.each([
    ['no answer', (): Error => new Error('connect ECONNREFUSED')],
    [
      'a refusal',
      (): Error => new JsonRpcError('eth_sendRawTransaction', -32_000, 'txpool is full', undefined),
    ],
  ])('PAY-13 a transaction that a node did not accept (%s) is sent again soon', async (_, failure) => {
    const payment = await createPayment()
    let failures = 0
    const call: JsonRpc['call'] = async (method, ...rest) => {
      if (!method.startsWith('eth_sendRawTransaction') || failures === 2)
        return await stack.rpc.call(method, ...rest)
      failures += 1
      throw failure()
    }
    const limits = { stuckAfterMs: 60_000, settleWaitMs: 10_000 }
    const facilitator = await stack.startFacilitator({ rpc: { ...stack.rpc, call }, limits })
    await verify(facilitator, payment)
    await settlesWith(facilitator, payment)
    expect(failures).toBe(2)
  })

  test('PAY-13 a stuck transaction is replaced with higher fees and the same nonce', async () => {
    const payment = await createPayment()
    const facilitator = await stack.startFacilitator(IMPATIENT)
    await verify(facilitator, payment)
    await stack.rpc.call('evm_setAutomine', [false])
    await facilitator.settle(payment.request)
    const first = (await rowOf(payment))?.transaction
    await expect.poll(async () => (await rowOf(payment))?.transaction).not.toBe(first)
    await stack.rpc.call('evm_mine', [])
    await becomes(payment, 'settled')
    const settled = await rowOf(payment)
    const mined = (await stack.rpc.call('eth_getTransactionByHash', [settled?.transaction])) as {
      nonce: string
      maxFeePerGas: string
    }
    expect(Number(mined.nonce)).toBe(0)
    expect(await countSent(facilitator)).toBe('0x1')
    expect(await stack.rpc.call('eth_getTransactionReceipt', [first])).toBeNull()
  })

  test('SR4 a batch that succeeds proves only those of its payments whose transfers are in it', async () => {
    const [good, spoiled] = [await createPayment(), await createPayment()]
    await dieWith([good, spoiled], { ledger: await dying({ submit: true }) })
    const second = await stack.startFacilitator({ ledger: await dying(), rpc: deaf() })
    await becomes(good, 'submitted')
    await second.close()
    const batch = (await rowOf(good))?.transaction
    expect((await rowOf(spoiled))?.transaction).toBe(batch)
    await token.cancel(spoiled.payer, spoiled.signed.authorization.nonce)
    const third = await stack.startFacilitator()
    expect(await settlesWith(third, good)).toBe(batch)
    await expect
      .poll(async () => (await rowOf(spoiled))?.failure)
      .toMatchObject({ reason: 'invalid_exact_evm_nonce_already_used' })
    expect(await stack.rpc.call('eth_getTransactionReceipt', [batch])).toMatchObject({ status: '0x1' })
  })

  /** A payment whose only transaction was mined without paying it, because the token was paused just before. */
  const minedInVain = async (
    payment: Payment,
  ): Promise<{
    readonly facilitator: RunningFacilitator
    readonly raw: string
    readonly before: unknown
  }> => {
    await dieWith([payment], { ledger: await dying(), rpc: deaf() })
    const before = await stack.rpc.call('evm_snapshot', [])
    await token.pause()
    let raw = ''
    const call: JsonRpc['call'] = async (method, parameters, ...rest) => {
      if (method.startsWith('eth_sendRawTransaction')) raw = String(parameters[0])
      return await stack.rpc.call(method, parameters, ...rest)
    }
    const options = { rpc: { ...stack.rpc, call }, clock: movedClock, ...IMPATIENT }
    const facilitator = await stack.startFacilitator(options)
    await becomes(payment, 'failed')
    expect((await rowOf(payment))?.attempts).toBe(1)
    return { facilitator, raw, before }
  }

  test('I5, PAY-18 a payment that failed in a block is pending: if the block is replaced, it is paid', async () => {
    const payment = await createPayment()
    const { facilitator, raw, before } = await minedInVain(payment)
    expect(await facilitator.settle(payment.request)).toEqual({
      kind: 'unknown',
      cause: 'settlement_pending',
    })
    const failed = await stack.rpc.call('eth_getBlockByNumber', ['latest', false])
    const failedSeconds = Number((failed as { readonly timestamp: string }).timestamp)
    await expect.poll(async () => (await rowOf(payment))?.auditedAt).toBe(failedSeconds)
    await stack.rpc.call('evm_revert', [before])
    // The new block may have the time of the replaced one: the row is then checked again with the next block.
    await stack.rpc.call('evm_setNextBlockTimestamp', [failedSeconds])
    await stack.rpc.call('eth_sendRawTransactionSync', [raw])
    await stack.rpc.call('evm_setNextBlockTimestamp', [failedSeconds + 1])
    await stack.rpc.call('evm_mine', [])
    await becomes(payment, 'settled')
    await settlesWith(facilitator, payment)
  })

  test('I5 a failure is reported only once the authorization can never be used again', async () => {
    const payment = await createPayment()
    const { facilitator } = await minedInVain(payment)
    const finalSeconds = Number(payment.signed.authorization.validBefore) + NETWORK.finalitySeconds
    aheadMs = (finalSeconds + 1) * 1_000 - Date.now()
    await stack.rpc.call('evm_setNextBlockTimestamp', [finalSeconds])
    await stack.rpc.call('evm_mine', [])
    const audited = async (): Promise<number> => (await rowOf(payment))?.auditedAt ?? 0
    await expect.poll(audited).toBe(finalSeconds)
    expect(await facilitator.settle(payment.request)).toMatchObject({ kind: 'unknown' })
    await stack.rpc.call('evm_setNextBlockTimestamp', [finalSeconds + 1])
    await stack.rpc.call('evm_mine', [])
    await expect.poll(audited).toBe(finalSeconds + 1)
    expect(await facilitator.settle(payment.request)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('paused'),
    })
  })

  test('PAY-17 a receipt with success but without a transfer is no proof', async () => {
    const payment = await createPayment()
    const facilitator = await stack.startFacilitator(IMPATIENT)
    await verify(facilitator, payment)
    await stack.rpc.call('evm_setAutomine', [false])
    await facilitator.settle(payment.request)
    const empty = (await rowOf(payment))?.transaction
    const code = await stack.rpc.call('eth_getCode', [NETWORK.asset.address, 'latest'])
    // A token that does nothing, returns zero and does not revert.
    await stack.rpc.call('anvil_setCode', [NETWORK.asset.address, '0x60005f5260205ff3'])
    await stack.rpc.call('evm_mine', [])
    await expect.poll(async () => (await rowOf(payment))?.attempts).toBeGreaterThanOrEqual(1)
    expect(await stack.rpc.call('eth_getTransactionReceipt', [empty])).toMatchObject({
      status: '0x1',
      logs: [],
    })
    expect((await rowOf(payment))?.state).not.toBe('settled')
    await stack.rpc.call('anvil_setCode', [NETWORK.asset.address, code])
    await stack.rpc.call('evm_setAutomine', [true])
    expect(await settlesWith(await stack.startFacilitator(), payment)).not.toBe(empty)
  })

  test('a nonce that another program used with the relayer key costs no payment', async () => {
    const payment = await createPayment()
    await dieWith([payment], { ledger: await dying(), rpc: deaf() })
    const transfer = { from: TEST_KEYS.relayer.address, to: TEST_KEYS.stranger.address, value: '0x1' }
    await stack.rpc.call('eth_sendTransactionSync', [transfer])
    await settlesWith(await stack.startFacilitator(), payment)
  })

  test('PAY-22 an abandoned nonce is filled, so that later transactions are mined', async () => {
    const payments = await createPayments(2)
    const first = await dieWith(payments, { ledger: await dying({ submit: true }) })
    // As after a reorganisation that removed the transaction of nonce 0 from its block after it was closed.
    const account = { network: NETWORK.id, relayer: first.relayers[0] ?? '' }
    const relayer = createRelayer(stack.crypto, NETWORK, TEST_KEYS.relayer.privateKey)
    const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    await expect.poll(async () => await observer.leases.acquire(account, 'dead', 600_000)).toBeDefined()
    const lease = await observer.leases.acquire(account, 'dead', 600_000)
    if (lease === undefined) throw new Error('the lease was lost')
    for (const [index, payment] of payments.entries()) {
      const row = await rowOf(payment)
      if (row === undefined) throw new Error('the payment has no row')
      const transaction = {
        ...relayer.sign(relayer.call([row], 'settler'), index + 1, fees),
        nonce: index + 1,
      }
      expect(await observer.settlements.submit(lease, transaction, [row.key])).toBeDefined()
    }
    await observer.leases.giveUp(lease)
    await stack.startFacilitator(SOON)
    for (const payment of payments) await becomes(payment, 'settled')
  })

  test('PAY-18 a reorganisation that undoes a settlement is noticed, and the payment is settled again', async () => {
    const payment = await createPayment()
    const facilitator = await stack.startFacilitator(SOON)
    await verify(facilitator, payment)
    const snapshot = await stack.rpc.call('evm_snapshot', [])
    const hash = await settlesWith(facilitator, payment)
    await stack.rpc.call('evm_revert', [snapshot])
    expect(await token.countTransfers(payment.from)).toBe(0)
    await expect.poll(async () => await token.countTransfers(payment.from)).toBe(1)
    await becomes(payment, 'settled')
    const row = await rowOf(payment)
    expect(await stack.rpc.call('eth_getTransactionReceipt', [row?.transaction])).toMatchObject({
      status: '0x1',
    })
    expect(hash).toMatch(/^0x/)
    const metrics = (): Promise<string> => facilitator.metrics.registry.metrics()
    await expect.poll(metrics).toContain('ledger_mismatches_total{kind="reorganised"} 1')
  })

  test('I7 a released payment that another account settled is found and reported', async () => {
    const payment = await createPayment()
    const facilitator = await stack.startFacilitator()
    const verified = await facilitator.verify(payment.request)
    await facilitator.release(releaseOf(payment.request, verified))
    const foreign = await token.submitForeign(payment.signed)
    // The row is checked again with each block that is later by a second; on a real chain there always is one.
    const rowOneBlockOn = async (): Promise<PaymentRecord | undefined> => {
      await stack.rpc.call('evm_mine', [])
      return await rowOf(payment)
    }
    await expect.poll(rowOneBlockOn).toMatchObject({ state: 'settled', transaction: foreign })
    // Counted after the row is written.
    const metrics = (): Promise<string> => facilitator.metrics.registry.metrics()
    await expect.poll(metrics).toContain('ledger_mismatches_total{kind="settled-though-released"} 1')
  })

  test('an expired hold can still be charged', async () => {
    const payment = await createPayment()
    const facilitator = await stack.startFacilitator()
    const request = facilitatorRequest(payment.signed, { binding: freshBinding(), holdUntil: 0 })
    await facilitator.verify(request)
    await becomes(payment, 'expired')
    await settlesWith(facilitator, { ...payment, request })
  })

  test('a captured payment that expires before it can be sent has failed, and does not count against the payer', async () => {
    const payment = await createPayment(PRICE, { validBefore: String(Math.floor(Date.now() / 1_000) + 300) })
    await dieWith([payment], { ledger: await dying({ submit: true }) })
    await stack.rpc.call('evm_increaseTime', [301])
    await stack.rpc.call('evm_mine', [])
    aheadMs = 301_000
    const next = await stack.startFacilitator({ clock: movedClock })
    expect(await next.settle(payment.request)).toMatchObject({
      kind: 'failed',
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
    })
    expect(await token.countTransfers(payment.from)).toBe(0)
  })

  test('PAY-02 two facilitators on one ledger and one relayer account: 50 payments are mined, no nonce is missing', async () => {
    const [one, other] = [await stack.startFacilitator(), await stack.startFacilitator()]
    const payments = await createPayments(50)
    const outcomes = await Promise.all(
      payments.map(async (payment, index) => {
        await verify(index % 2 === 0 ? other : one, payment)
        return await (index % 2 === 0 ? one : other).settle(payment.request)
      }),
    )
    expect(outcomes.filter(({ kind }) => kind === 'settled')).toHaveLength(50)
    expect(await token.balanceOf(PAY_TO)).toBe(PRICE * 50n)
    const [latest, pending] = await Promise.all(
      ['latest', 'pending'].map(
        async block => await stack.rpc.call('eth_getTransactionCount', [one.relayers[0], block]),
      ),
    )
    expect(latest).toBe(pending)
  })

  test('the other process takes over when the lease holder dies, and settles what both accepted', async () => {
    const [first, second] = [
      await stack.startFacilitator({ ledger: await dying(), rpc: deaf(), ...IMPATIENT }),
      await stack.startFacilitator(IMPATIENT),
    ]
    const payments = await createPayments(2)
    for (const [index, payment] of payments.entries()) {
      await verify(index === 0 ? first : second, payment)
      await (index === 0 ? first : second).settle(payment.request)
    }
    await first.close()
    for (const payment of payments) await becomes(payment, 'settled')
  })

  test('two facilitators with relayer accounts of their own share the work and never send a payment twice', async () => {
    const [one, other] = [
      await stack.startFacilitator(),
      await stack.startFacilitator({ relayerKeys: [TEST_KEYS.deployer.privateKey] }),
    ]
    const payments = await createPayments(30)
    const outcomes = await Promise.all(
      payments.map(async (payment, index) => {
        const by = index % 2 === 0 ? one : other
        await verify(by, payment)
        return await by.settle(payment.request)
      }),
    )
    expect(outcomes.filter(({ kind }) => kind === 'settled')).toHaveLength(30)
    expect(await token.balanceOf(PAY_TO)).toBe(PRICE * 30n)
  })

  test('one facilitator with several keys uses them all, and sends no payment twice', async () => {
    const keys = [TEST_KEYS.relayer, TEST_KEYS.deployer, TEST_KEYS.secondPayer].map(
      ({ privateKey }) => privateKey,
    )
    const facilitator = await stack.startFacilitator({ relayerKeys: keys })
    expect(facilitator.relayers).toHaveLength(3)
    const payments = await createPayments(24)
    await stack.rpc.call('evm_setAutomine', [false])
    const senders = new Set<unknown>()
    const isBusy = async (relayer: string): Promise<boolean> => {
      const [latest, pending] = await Promise.all(
        ['latest', 'pending'].map(block => stack.rpc.call('eth_getTransactionCount', [relayer, block])),
      )
      return latest !== pending
    }
    const settling: ReturnType<typeof facilitator.client.settle>[] = []
    // Three waves: when the next one is sent, a transaction of one more key is in flight.
    for (const wave of [1, 2, 3]) {
      for (const payment of payments.slice(8 * (wave - 1), 8 * wave)) {
        await verify(facilitator, payment)
        settling.push(facilitator.settle(payment.request))
      }
      await until(async () => {
        const busy = await Promise.all(facilitator.relayers.map(isBusy))
        return busy.filter(Boolean).length >= wave
      }, 50)
    }
    await stack.rpc.call('evm_setIntervalMining', [1])
    const outcomes = await Promise.all(settling)
    for (const outcome of outcomes) {
      if (outcome.kind !== 'settled') throw new Error(`a payment is ${outcome.kind}`)
      const sent = await stack.rpc.call('eth_getTransactionByHash', [outcome.transaction])
      senders.add((sent as { readonly from: string }).from)
    }
    expect(await token.balanceOf(PAY_TO)).toBe(PRICE * 24n)
    expect(senders).toEqual(new Set(facilitator.relayers))
  })

  test('the next process takes over the transactions of all keys of one that died', async () => {
    const keys = [TEST_KEYS.relayer, TEST_KEYS.deployer].map(({ privateKey }) => privateKey)
    const payments = await createPayments(4)
    await dieWith(payments, { relayerKeys: keys, ledger: await dying(), rpc: deaf() })
    await stack.startFacilitator({ relayerKeys: keys })
    for (const payment of payments) await becomes(payment, 'settled')
    expect(await token.balanceOf(PAY_TO)).toBe(PRICE * 4n)
  })

  test('transactions that a process with fewer keys leaves are counted until a process has the key', async () => {
    const [kept, dropped] = [TEST_KEYS.relayer.privateKey, TEST_KEYS.deployer.privateKey]
    const payment = await createPayment()
    await dieWith([payment], { relayerKeys: [dropped], ledger: await dying(), rpc: deaf() })
    const unattendedOf = async ({ metrics }: RunningFacilitator): Promise<string | undefined> =>
      /^farebox_facilitator_transactions_unattended (\d+)$/m.exec(await metrics.registry.metrics())?.[1]
    const second = await stack.startFacilitator({ relayerKeys: [kept] })
    await expect.poll(() => unattendedOf(second)).toBe('1')
    expect((await rowOf(payment))?.state).toBe('submitted')
    await stack.startFacilitator({ relayerKeys: [dropped] })
    await becomes(payment, 'settled')
    await expect.poll(() => unattendedOf(second)).toBe('0')
  })

  test('payments that arrive within one block interval are sent together', async () => {
    const facilitator = await stack.startFacilitator()
    const payments = await createPayments(20)
    const keys = payments.map(({ key }) => key)
    await Promise.all(payments.map(async payment => await verify(facilitator, payment)))
    await stack.rpc.call('evm_setAutomine', [false])
    const settling = payments.map(payment => facilitator.settle(payment.request))
    await until(async () => (await observer.payments.find(keys)).every(({ state }) => state !== 'held'))
    await stack.rpc.call('evm_setIntervalMining', [1])
    const outcomes = await Promise.all(settling)
    const hashes = new Set(
      outcomes.map(outcome => (outcome.kind === 'settled' ? outcome.transaction : outcome.kind)),
    )
    expect(await token.balanceOf(PAY_TO)).toBe(PRICE * 20n)
    expect(hashes.size).toBeLessThanOrEqual(4)
  })
})
