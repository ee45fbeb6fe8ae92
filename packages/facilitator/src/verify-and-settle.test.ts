import { randomBytes } from 'node:crypto'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import { HOLD_EXTENSION, type FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import type { SettleOutcome } from '@farebox/payments/x402/facilitator-client'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gasLimit } from './relayer/account/relayer-account.ts'
import type { PaymentToHold } from './ledger/payment-ledger.ts'
import {
  facilitatorRequest,
  freshBinding,
  NETWORK,
  PRICE,
  signAuthorization,
  type PaymentChanges,
} from './test-setup/payments-for-tests.ts'
import { hasPostgres, startStack, type RunningFacilitator, type Stack } from './test-setup/start-stack.ts'
import { openToken, type TokenForTests } from './test-setup/token-for-tests.ts'

const now = (): number => Math.floor(Date.now() / 1_000)
const HASH = /^0x[0-9a-f]{64}$/

describe.runIf(await hasPostgres())('POST /verify and /settle on a real chain', () => {
  let stack: Stack
  let facilitator: RunningFacilitator
  let token: TokenForTests

  beforeAll(async () => {
    stack = await startStack()
    facilitator = await stack.startFacilitator()
    token = openToken(stack.rpc, stack.crypto)
  })
  afterAll(async () => await stack.stop())

  type Payment = Awaited<ReturnType<typeof signAuthorization>> & {
    readonly payer: string
    readonly request: FacilitatorRequest
  }
  const sign = async (payer: string): Promise<Payment> => {
    const signed = await signAuthorization(stack.crypto, payer)
    return { ...signed, payer, request: facilitatorRequest(signed, { binding: freshBinding() }) }
  }
  const held = async (balance = PRICE): Promise<Payment> => {
    const payment = await sign(await stack.createPayer(balance))
    expect(await facilitator.verify(payment.request)).toMatchObject({ kind: 'valid' })
    return payment
  }
  interface Answer {
    readonly status: number
    readonly body: { [key: string]: unknown }
  }
  const post = async (path: '/verify' | '/settle', body: object): Promise<Answer> => {
    const answer = await facilitator.app.inject({
      method: 'POST',
      url: path,
      headers: { authorization: `Bearer ${stack.secret}` },
      payload: body,
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  const signed = async (
    changes: PaymentChanges = {},
    balance = PRICE,
  ): Promise<Awaited<ReturnType<typeof signAuthorization>> & { payer: string }> => {
    const payer = await stack.createPayer(balance)
    return { ...(await signAuthorization(stack.crypto, payer, changes)), payer }
  }
  const inquiry = (payment: Payment): FacilitatorRequest => ({
    ...payment.request,
    extensions: { 'farebox-hold': { binding: freshBinding(), inquiry: true } },
  })
  const keyOf = ({ authorization: { from, nonce } }: Payment): string => paymentKey(NETWORK, { from, nonce })
  const settle = async (
    { request }: { readonly request: FacilitatorRequest },
    by = facilitator,
  ): Promise<SettleOutcome> => await by.settle(request)

  const stateOf = async (payment: Payment): Promise<string | undefined> =>
    (await facilitator.ledger.payments.find([keyOf(payment)]))[0]?.state

  test('D40 an agent that lost its record gets the charge: its job, transaction and block time', async () => {
    const payment = await held()
    const settled = await settle(payment)
    const transaction = settled.kind === 'settled' ? settled.transaction : ''
    // The charge is reported when it is proven, and recorded after: until then it is pending.
    await expect.poll(() => stateOf(payment)).toBe('settled')
    const { binding } = payment.request.extensions?.['farebox-hold'] ?? { binding: '' }
    const charge = { state: 'settled', binding, transaction, chargedAt: expect.any(Number) as number }
    const used = await facilitator.verify(payment.request)
    expect(used).toMatchObject({ reason: 'invalid_exact_evm_nonce_already_used', charge })
    const other = facilitatorRequest(payment, { binding: freshBinding() })
    expect(await facilitator.verify(other)).toMatchObject({ charge })
    const asked = await facilitator.verify(inquiry(payment))
    expect(asked).toMatchObject({ kind: 'invalid', reason: 'inquiry_holds_nothing', charge })
    const told = asked.kind === 'invalid' ? asked.charge : undefined
    const age = (told?.now ?? 0) - (told?.chargedAt ?? 0)
    expect(age).toBeGreaterThanOrEqual(0)
    expect(age).toBeLessThan(60)
  })

  test('D40 an inquiry holds nothing, and reports no charge for a payment that is only held', async () => {
    const payment = await sign(await stack.createPayer(PRICE))
    const asked = await facilitator.verify(inquiry(payment))
    expect(asked).toEqual({
      kind: 'invalid',
      reason: 'inquiry_holds_nothing',
      message: expect.any(String),
      charge: undefined,
    })
    expect(await facilitator.ledger.payments.find([keyOf(payment)])).toEqual([])
    await facilitator.verify(payment.request)
    expect(await facilitator.verify(inquiry(payment))).toEqual(asked)
  })

  test('a payer whose settlement was reported and is not recorded yet is not refused for too little balance', async () => {
    const ledger = await stack.openLedger()
    let writeDown = (): void => undefined
    const mayConclude = new Promise<void>(resolve => {
      writeDown = resolve
    })
    const conclude: typeof ledger.settlements.conclude = async (...words) => {
      await mayConclude
      return await ledger.settlements.conclude(...words)
    }
    const late = await stack.startFacilitator({
      ledger: { ...ledger, settlements: { ...ledger.settlements, conclude } },
      relayerKeys: [TEST_KEYS.deployer.privateKey],
    })
    const payer = await stack.createPayer(2n * PRICE)
    const [one, other] = [await sign(payer), await sign(payer)]
    const verify = async ({ request }: Payment): Promise<string> => (await late.verify(request)).kind
    expect(await verify(one)).toBe('valid')
    expect(await settle(one, late)).toMatchObject({ kind: 'settled' })
    expect(await verify(other)).toBe('unavailable')
    writeDown()
    await expect.poll(async () => await verify(other)).toBe('valid')
    await late.close()
  })

  test('a payment that was never verified is verified and settled in one step', async () => {
    const payer = await stack.createPayer(PRICE)
    const request = facilitatorRequest(await signAuthorization(stack.crypto, payer))
    expect((await post('/settle', request)).body).toEqual({
      success: true,
      transaction: expect.stringMatching(HASH),
      network: 'eip155:84532',
      payer: request.paymentPayload.payload.authorization.from,
      amount: PRICE.toString(),
    })
  })

  test('a hold that took too long is refused as too late, also to concurrent callers', async () => {
    const ledger = await stack.openLedger()
    let aheadMs = 0
    const clock = { ...systemClock, nowMs: () => Date.now() + aheadMs }
    const payments = {
      ...ledger.payments,
      hold: async (request: PaymentToHold) => {
        // Too late for a new payment at the time of the hold.
        aheadMs = 295_000
        await isRefused
        const outcome = await ledger.payments.hold(request)
        // The search for expired holds may come first, by that clock.
        await ledger.audit.expireHolds(NETWORK.id, request.holdUntil + 1)
        return outcome
      },
    }
    let hold = (): void => undefined
    const isRefused = new Promise<void>(resolve => {
      hold = resolve
    })
    const slow = await stack.startFacilitator({ ledger: { ...ledger, payments }, clock })
    const validBefore = String(Math.floor(Date.now() / 1_000) + 300)
    const payer = await stack.createPayer(PRICE)
    const signed = await signAuthorization(stack.crypto, payer, { validBefore })
    const request = facilitatorRequest(signed, { binding: freshBinding() })
    const first = settle({ request }, slow)
    await until(() => aheadMs > 0)
    const refused = { kind: 'failed', reason: 'invalid_exact_evm_payload_authorization_valid_before' }
    expect(await settle({ request }, slow)).toMatchObject(refused)
    hold()
    expect(await first).toMatchObject(refused)
    expect(await token.balanceOf(signed.authorization.from)).toBe(PRICE)
    // Otherwise it would wait for the relayer's lease, and settle payments that a later test wants unsettled.
    await slow.close()
  })

  test('PAY-31 50 settlements at once from one relayer account are all mined, in few transactions', async () => {
    const payments: Payment[] = []
    for (let index = 0; index < 50; index += 1) payments.push(await held())
    const outcomes = await Promise.all(payments.map(async payment => await settle(payment)))
    expect(outcomes.filter(outcome => outcome.kind === 'settled')).toHaveLength(50)
    const hashes = new Set(outcomes.map(outcome => (outcome.kind === 'settled' ? outcome.transaction : '')))
    expect(hashes.size).toBeLessThan(25)
    for (const payment of payments) expect(await token.countTransfers(payment.authorization.from)).toBe(1)
    for (const hash of hashes) {
      const receipt = (await stack.rpc.call('eth_getTransactionReceipt', [hash])) as {
        gasUsed: string
        logs: unknown[]
      }
      expect(Number(receipt.gasUsed)).toBeLessThan(Number(gasLimit(receipt.logs.length / 2)) * 0.75)
    }
  })

  test('PAY-30 a payer whose contract burns all gas only in transactions harms no other payment of its batch', async () => {
    // ORIGIN is zero in eth_call and the relayer in a transaction. In a call: return ERC-1271's magic value. Otherwise loop.
    // ORIGIN PUSH1 0x12 JUMPI  PUSH4 1626ba7e PUSH1 e0 SHL PUSH0 MSTORE PUSH1 20 PUSH0 RETURN  JUMPDEST(0x12) JUMPDEST PUSH1
    // 13 JUMP
    const code = '0x32601257631626ba7e60e01b5f5260205ff35b5b601356'
    const victims = [await held(), await held(), await held()]
    const attacker = await held()
    await stack.rpc.call('anvil_setCode', [attacker.authorization.from, code])
    const outcomes = await Promise.all([attacker, ...victims].map(async payment => await settle(payment)))
    expect(outcomes.slice(1).map(outcome => outcome.kind)).toEqual(['settled', 'settled', 'settled'])
    // In a batch its failure would have failed the others once, and burned their gas.
    expect(
      (await facilitator.ledger.payments.find(victims.map(keyOf))).map(record => record.attempts),
    ).toEqual([0, 0, 0])
    // The simulation equals the transaction, so it failed before any gas was spent on it.
    expect(await facilitator.ledger.payments.find([keyOf(attacker)])).toMatchObject([
      { state: 'failed', attempts: 0, failure: { reason: 'invalid_exact_evm_transaction_failed' } },
    ])
    expect(outcomes[0]).toMatchObject({ kind: 'failed', transaction: '' })
  })

  test('a payment too large for an item of a batch is sent alone, and all others are paid', async () => {
    const amountAtomic = 2n ** 128n
    const large = async (): Promise<Payment> => {
      const payer = await stack.createPayer(amountAtomic)
      const signed = await signAuthorization(stack.crypto, payer, { value: amountAtomic.toString() })
      const request = facilitatorRequest(signed, { binding: freshBinding() }, { amountAtomic })
      return { ...signed, payer, request }
    }
    const payments = [await held(), await held(), await large(), await held(), await large(), await held()]
    const outcomes = await Promise.all(payments.map(async payment => await settle(payment)))
    expect(outcomes.map(({ kind }) => kind)).toEqual(payments.map(() => 'settled'))
    const hashes = outcomes.map(outcome => (outcome.kind === 'settled' ? outcome.transaction : ''))
    for (const hash of [hashes[2], hashes[4]]) {
      expect(hashes.filter(one => one === hash)).toHaveLength(1)
      const sent = await stack.rpc.call('eth_getTransactionByHash', [hash])
      expect(sent).toMatchObject({ to: NETWORK.asset.address })
    }
  })

  test('PAY-09 a payer whose payments keep failing is not verified for a while; others are', async () => {
    const payer = await stack.createPayer(PRICE * 10n)
    const next = await sign(payer)
    const payments = await Promise.all(Array.from({ length: 5 }, async () => await sign(payer)))
    for (const { request } of payments)
      expect(await facilitator.verify(request)).toMatchObject({ kind: 'valid' })
    await token.drain(payer)
    for (const payment of payments) expect(await settle(payment)).toMatchObject({ kind: 'failed' })
    await fund(stack.chain, next.authorization.from, { usdcAtomic: PRICE })
    expect(await facilitator.verify(next.request)).toMatchObject({ kind: 'invalid', reason: 'payer_barred' })
    await held()
  })

  test('a payer with exactly enough for two payments makes two, in sequence and concurrently', async () => {
    const payer = await stack.createPayer(PRICE * 4n)
    for (let index = 0; index < 2; index += 1) {
      const payment = await sign(payer)
      expect(await facilitator.verify(payment.request)).toMatchObject({ kind: 'valid' })
      expect(await settle(payment)).toMatchObject({ kind: 'settled' })
    }
    const [one, other] = [await sign(payer), await sign(payer)]
    const payAll = async (payment: Payment): Promise<string> => {
      const verified = await facilitator.verify(payment.request)
      return verified.kind === 'valid' ? (await settle(payment)).kind : verified.kind
    }
    expect(await Promise.all([payAll(one), payAll(other)])).toEqual(['settled', 'settled'])
  })

  test('D8 while the chain is unreachable a settlement is pending, never failed, and is settled later', async () => {
    let reachable = true
    const rpc = {
      ...stack.rpc,
      call: async (...call: Parameters<typeof stack.rpc.call>) => {
        if (!reachable) throw new Error('connect ECONNREFUSED')
        return await stack.rpc.call(...call)
      },
    }
    const own = await stack.startFacilitator({
      rpc,
      relayerKeys: [TEST_KEYS.secondPayer.privateKey],
      limits: { settleWaitMs: 400 },
    })
    // The shared facilitator must not settle it.
    await facilitator.close()
    const payment = await sign(await stack.createPayer(PRICE))
    expect(await own.verify(payment.request)).toMatchObject({ kind: 'valid' })
    reachable = false
    expect(await settle(payment, own)).toEqual({ kind: 'unknown', cause: 'settlement_pending' })
    reachable = true
    await expect.poll(async () => (await settle(payment, own)).kind).toBe('settled')
    facilitator = await stack.startFacilitator()
  })

  test('D10 a valid payment is reported as valid, with its payer, and held', async () => {
    const one = await signed()
    const answer = await post(
      '/verify',
      facilitatorRequest(one, { binding: freshBinding(), holdUntil: now() + 33 }),
    )
    expect(answer).toEqual({
      status: 200,
      body: {
        isValid: true,
        payer: one.authorization.from,
        extensions: { [HOLD_EXTENSION]: { holdId: expect.any(String), holdUntil: expect.any(Number) } },
      },
    })
  })

  test('a stock middleware without the hold extension is served; its hold is bound to the payment itself', async () => {
    const one = await signed()
    expect((await post('/verify', facilitatorRequest(one))).body['isValid']).toBe(true)
    expect((await post('/verify', facilitatorRequest(one))).body['isValid']).toBe(true)
    expect(
      (await post('/verify', facilitatorRequest(one, { binding: freshBinding() }))).body['invalidReason'],
    ).toBe('payment_bound_otherwise')
  })

  test('a hold never outlives the authorization', async () => {
    const validBefore = now() + 40
    const answer = await post(
      '/verify',
      facilitatorRequest(await signed({ validBefore: String(validBefore) }), {
        binding: freshBinding(),
        holdUntil: now() + 9_000,
      }),
    )
    expect(answer.body).toMatchObject({ extensions: { [HOLD_EXTENSION]: { holdUntil: validBefore } } })
  })

  test('reports every payment as refused with the token’s reason while the token is paused', async () => {
    const request = facilitatorRequest(await signed(), { binding: freshBinding() })
    await token.pause()
    const answer = await post('/verify', request)
    await token.unpause()
    expect(answer.body).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_evm_transaction_simulation_failed',
      invalidMessage: expect.stringContaining('Pausable: paused'),
    })
  })

  test.each([{ binding: 'job' }, { binding: freshBinding(), holdUntil: 'soon' }])(
    'an invalid hold extension is refused: %j',
    async hold => {
      const request = { ...facilitatorRequest(await signed()), extensions: { [HOLD_EXTENSION]: hold } }
      expect(await post('/verify', request)).toMatchObject({
        status: 400,
        body: { invalidReason: 'invalid_payload' },
      })
    },
  )

  test('judges by the head of the chain when that is a little ahead of our clock', async () => {
    const own = await startStack()
    const ahead = await own.startFacilitator()
    await own.rpc.call('evm_increaseTime', [25])
    await own.rpc.call('evm_mine', [])
    const payer = await own.createPayer(PRICE)
    const first = await signAuthorization(own.crypto, payer, { validBefore: String(now() + 30) })
    await ahead.verify(
      facilitatorRequest(await signAuthorization(own.crypto, payer), { binding: freshBinding() }),
    )
    const outcome = await ahead.verify(facilitatorRequest(first, { binding: freshBinding() }))
    expect(outcome).toMatchObject({
      kind: 'invalid',
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
    })
    await own.stop()
  })

  test('payments on an idle local chain, whose head is old, are checked and settled by the pending block', async () => {
    const own = await startStack()
    const payer = await own.createPayer(PRICE)
    // An hour passes without a block.
    await own.rpc.call('evm_increaseTime', [3_600])
    const idle = await own.startFacilitator({
      clock: { ...systemClock, nowMs: () => Date.now() + 3_600_000 },
    })
    const [from, to] = [now() + 1_800, now() + 3_900]
    const request = facilitatorRequest(
      await signAuthorization(own.crypto, payer, { validAfter: String(from), validBefore: String(to) }),
      { binding: freshBinding() },
    )
    expect(await idle.verify(request)).toMatchObject({ kind: 'valid' })
    expect(await idle.settle(request)).toMatchObject({ kind: 'settled' })
    await own.stop()
  })

  test('PAY-32 a relayer without gas money: nothing is verified, it is not ready, and no payment is called invalid', async () => {
    const poor = `0x${randomBytes(32).toString('hex')}`
    const broke = await stack.startFacilitator({ relayerKeys: [poor] })
    const request = facilitatorRequest(await signed(), { binding: freshBinding() })
    expect(await broke.verify(request)).toMatchObject({ kind: 'unavailable' })
    const ready = await broke.app.inject({ method: 'GET', url: '/ready' })
    expect(ready.statusCode).toBe(503)
    expect(ready.json()).toMatchObject({
      ready: false,
      database: 'ok',
      chain: 'ok',
      relayer: expect.stringContaining('gas money'),
    })
    expect(toHex(fromHex(broke.relayers[0] ?? ''))).toBe(stack.crypto.addressOf(fromHex(poor)))
  })

  test('PAY-32 while gas costs more than the cap nothing is verified', async () => {
    const thrifty = await stack.startFacilitator({
      relayerKeys: [TEST_KEYS.deployer.privateKey],
      limits: { maxFeePerGas: 1n },
    })
    const request = facilitatorRequest(await signed(), { binding: freshBinding() })
    expect(await thrifty.verify(request)).toMatchObject({ kind: 'unavailable' })
  })

  test('PAY-23 does not start on another chain than it is configured for', async () => {
    const rpc = {
      ...stack.rpc,
      call: async (method: string, ...rest: [readonly unknown[]]) =>
        method === 'eth_chainId' ? '0x2105' : await stack.rpc.call(method, ...rest),
    }
    await expect(stack.startFacilitator({ rpc })).rejects.toThrow('the node is on chain 8453')
  })

  test('PAY-39 does not start when the token has another domain', async () => {
    const wrong = { ...NETWORK, asset: { ...NETWORK.asset, domain: { name: 'USD Coin', version: '2' } } }
    await expect(stack.startFacilitator({ network: wrong })).rejects.toThrow('DOMAIN_SEPARATOR')
  })
})
