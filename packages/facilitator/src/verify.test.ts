import { randomBytes } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { HOLD_EXTENSION, type FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@farebox/server/clock'
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

const now = (): number => Math.floor(Date.now() / 1_000)
const OTHER_WALLET = TEST_KEYS.secondAgent.address.toLowerCase()

describe.runIf(await hasPostgres())('POST /verify', () => {
  let stack: Stack
  let facilitator: RunningFacilitator
  let token: TokenForTests

  beforeAll(async () => {
    stack = await startStack()
    facilitator = await stack.startFacilitator()
    token = openToken(stack.rpc, stack.crypto)
  })
  afterAll(async () => await stack.stop())

  interface Answer {
    readonly status: number
    readonly body: { [key: string]: unknown }
  }
  const post = async (body: unknown, secret = stack.secret): Promise<Answer> => {
    const answer = await facilitator.app.inject({
      method: 'POST',
      url: '/verify',
      headers: { authorization: `Bearer ${secret}` },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
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
  const verify = async (changes: PaymentChanges = {}, balance = PRICE): Promise<Answer> =>
    await post(facilitatorRequest(await signed(changes, balance), { binding: freshBinding() }))

  test('D10 a good payment is valid, its payer named, and held', async () => {
    const one = await signed()
    const answer = await post(facilitatorRequest(one, { binding: freshBinding(), holdUntil: now() + 33 }))
    expect(answer).toEqual({
      status: 200,
      body: {
        isValid: true,
        payer: one.authorization.from,
        extensions: { [HOLD_EXTENSION]: { holdId: expect.any(String), holdUntil: expect.any(Number) } },
      },
    })
  })

  test('a stock middleware, without our extension, is served too, and bound to the payment itself', async () => {
    const one = await signed()
    expect((await post(facilitatorRequest(one))).body['isValid']).toBe(true)
    expect((await post(facilitatorRequest(one))).body['isValid']).toBe(true)
    expect((await post(facilitatorRequest(one, { binding: freshBinding() }))).body['invalidReason']).toBe(
      'payment_bound_otherwise',
    )
  })

  test('a hold never outlives the authorization', async () => {
    const validBefore = now() + 40
    const answer = await post(
      facilitatorRequest(await signed({ validBefore: String(validBefore) }), {
        binding: freshBinding(),
        holdUntil: now() + 9_000,
      }),
    )
    expect(answer.body).toMatchObject({ extensions: { [HOLD_EXTENSION]: { holdUntil: validBefore } } })
  })

  describe('SR1, SR3, SR5: refuses', () => {
    test.each<[string, PaymentChanges, string]>([
      ['another payee', { to: OTHER_WALLET }, 'invalid_exact_evm_recipient_mismatch'],
      ['one unit too little', { value: '9999' }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
      ['one unit too much', { value: '10001' }, 'invalid_exact_evm_payload_authorization_value_mismatch'],
      [
        'an expired authorization',
        { validBefore: String(now() - 1) },
        'invalid_exact_evm_payload_authorization_valid_before',
      ],
      [
        'one that ends before it could be settled',
        { validBefore: String(now() + 5) },
        'invalid_exact_evm_payload_authorization_valid_before',
      ],
      [
        'one that is good for more than a day',
        { validBefore: String(now() + 90_000) },
        'invalid_exact_evm_payload_authorization_valid_before',
      ],
      [
        'one not yet valid',
        { validAfter: String(now() + 60) },
        'invalid_exact_evm_payload_authorization_valid_after',
      ],
      [
        'a signature for another chain',
        { signedFor: { ...NETWORK, chainId: 8453 } },
        'invalid_exact_evm_signature',
      ],
      [
        'a signature for another token',
        { signedFor: { ...NETWORK, asset: { ...NETWORK.asset, address: OTHER_WALLET } } },
        'invalid_exact_evm_signature',
      ],
      [
        'a signature in another domain name',
        {
          signedFor: { ...NETWORK, asset: { ...NETWORK.asset, domain: { name: 'USD Coin', version: '2' } } },
        },
        'invalid_exact_evm_signature',
      ],
    ])('%s', async (_, changes, reason) => {
      expect(await verify(changes)).toMatchObject({
        status: 200,
        body: { isValid: false, invalidReason: reason, invalidMessage: expect.stringMatching(/./) },
      })
    })

    test.each<[string, (request: FacilitatorRequest) => unknown, number, string]>([
      [
        'another network',
        request => ({
          ...request,
          paymentRequirements: { ...request.paymentRequirements, network: 'eip155:8453' },
        }),
        400,
        'invalid_network',
      ],
      [
        'another asset',
        request => ({
          ...request,
          paymentRequirements: { ...request.paymentRequirements, asset: OTHER_WALLET },
        }),
        400,
        'invalid_payment_requirements',
      ],
      [
        'another scheme',
        request => ({ ...request, paymentRequirements: { ...request.paymentRequirements, scheme: 'upto' } }),
        400,
        'unsupported_scheme',
      ],
      [
        'a payment on another network',
        request => ({
          ...request,
          paymentPayload: {
            ...request.paymentPayload,
            accepted: { ...request.paymentPayload.accepted, network: 'eip155:8453' },
          },
        }),
        200,
        'invalid_exact_evm_network_mismatch',
      ],
      [
        'a payment in another asset',
        request => ({
          ...request,
          paymentPayload: {
            ...request.paymentPayload,
            accepted: { ...request.paymentPayload.accepted, asset: OTHER_WALLET },
          },
        }),
        200,
        'invalid_exact_evm_network_mismatch',
      ],
      [
        'another price than was accepted',
        request => ({
          ...request,
          paymentPayload: {
            ...request.paymentPayload,
            accepted: { ...request.paymentPayload.accepted, amount: '1' },
          },
        }),
        200,
        'invalid_payment_requirements',
      ],
      ['another version', request => ({ ...request, x402Version: 1 }), 400, 'invalid_x402_version'],
      [
        'a payment of no known form',
        request => ({ ...request, paymentPayload: { x402Version: 2 } }),
        200,
        'invalid_payload',
      ],
      [
        'a binding that is none',
        request => ({ ...request, extensions: { [HOLD_EXTENSION]: { binding: 'job' } } }),
        400,
        'invalid_payload',
      ],
      [
        'an end of the hold that is none',
        request => ({
          ...request,
          extensions: { [HOLD_EXTENSION]: { binding: freshBinding(), holdUntil: 'soon' } },
        }),
        400,
        'invalid_payload',
      ],
      ['no payment', request => ({ ...request, paymentPayload: null }), 400, 'invalid_payload'],
      [
        'no requirements',
        ({ paymentRequirements: _, ...request }) => request,
        400,
        'invalid_payment_requirements',
      ],
      ['no JSON', () => '{"x402Version":2,', 400, 'invalid_payload'],
      ['a list', () => '[]', 400, 'invalid_payload'],
    ])('%s', async (_, change, status, reason) => {
      const request = facilitatorRequest(await signed(), { binding: freshBinding() })
      expect(await post(change(request))).toMatchObject({
        status,
        body: { isValid: false, invalidReason: reason },
      })
    })

    test.each([
      ['signature', '0x' + '11'.repeat(65)],
      ['nonce', `0x${randomBytes(32).toString('hex')}`],
      ['from', OTHER_WALLET],
    ])('SR2 a payment whose %s was replaced', async (field, value) => {
      const one = await signed()
      const changed =
        field === 'signature'
          ? { ...one, signature: value }
          : { ...one, authorization: { ...one.authorization, [field]: value } }
      expect((await post(facilitatorRequest(changed, { binding: freshBinding() }))).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_evm_signature',
      })
    })

    test('SR5 a payment below the minimum', async () => {
      const one = await signed({ value: '999' })
      const answer = await post(facilitatorRequest(one, { binding: freshBinding() }, { amountAtomic: 999n }))
      expect(answer.body).toMatchObject({
        isValid: false,
        invalidReason: 'amount_below_minimum',
        invalidMessage: expect.stringContaining('0.001 USDC'),
      })
    })

    test('BOLA a payment to a wallet that the secret does not own: 403 with a verdict', async () => {
      const one = await signed({ to: OTHER_WALLET })
      const answer = await post(facilitatorRequest(one, { binding: freshBinding() }, { payTo: OTHER_WALLET }))
      expect(answer).toMatchObject({
        status: 403,
        body: { isValid: false, invalidReason: 'pay_to_not_owned' },
      })
    })
  })

  describe('asks the chain: refuses', () => {
    test('a payer without the money, by one unit', async () => {
      expect((await verify({}, PRICE - 1n)).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_evm_insufficient_balance',
      })
    })

    test('a used authorization', async () => {
      const one = await signed({}, PRICE * 2n)
      await token.submitForeign(one)
      expect((await post(facilitatorRequest(one, { binding: freshBinding() }))).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_evm_nonce_already_used',
      })
    })

    test('PAY-10 a cancelled authorization', async () => {
      const one = await signed()
      await token.cancel(one.payer, one.authorization.nonce)
      expect((await post(facilitatorRequest(one, { binding: freshBinding() }))).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_evm_nonce_already_used',
      })
    })

    test('anything while the token is paused, in the words of the token', async () => {
      const request = facilitatorRequest(await signed(), { binding: freshBinding() })
      await token.pause()
      const answer = await post(request)
      await token.unpause()
      expect(answer.body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_evm_transaction_simulation_failed',
        invalidMessage: expect.stringContaining('Pausable: paused'),
      })
    })

    test('a blacklisted payer', async () => {
      const one = await signed()
      await token.blacklist(one.authorization.from)
      expect((await post(facilitatorRequest(one, { binding: freshBinding() }))).body).toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_evm_transaction_simulation_failed',
      })
    })

    test('PAY-29 an account that was delegated to a contract without ERC-1271', async () => {
      const one = await signed()
      await stack.rpc.call('anvil_setCode', [
        one.authorization.from,
        `0xef0100${TEST_KEYS.stranger.address.slice(2).toLowerCase()}`,
      ])
      await stack.rpc.call('anvil_setCode', [TEST_KEYS.stranger.address, '0x00'])
      const answer = await post(facilitatorRequest(one, { binding: freshBinding() }))
      await stack.rpc.call('anvil_setCode', [TEST_KEYS.stranger.address, '0x'])
      expect(answer.body).toMatchObject({ isValid: false })
    })

    test('PAY-30 a payer whose contract burns all gas is refused, and its neighbours in the same call are not', async () => {
      const burner = await signed()
      // JUMPDEST PUSH0 JUMP: for ever.
      await stack.rpc.call('anvil_setCode', [burner.authorization.from, '0x5b5f56'])
      const good = await Promise.all(Array.from({ length: 6 }, async () => await signed()))
      const answers = await Promise.all(
        [good[0], good[1], burner, ...good.slice(2)].map(
          async one => one && (await post(facilitatorRequest(one, { binding: freshBinding() }))),
        ),
      )
      expect(answers.map(answer => answer?.body['isValid'])).toEqual([
        true,
        true,
        false,
        true,
        true,
        true,
        true,
      ])
    })
  })

  test('PAY-11 parallel authorizations of one payer: as many are valid as the balance covers', async () => {
    const payer = await stack.createPayer(PRICE * 3n + 1n)
    const payments = await Promise.all(
      Array.from({ length: 10 }, async () => await signAuthorization(stack.crypto, payer)),
    )
    const answers = await Promise.all(
      payments.map(async one => await post(facilitatorRequest(one, { binding: freshBinding() }))),
    )
    expect(answers.filter(({ body }) => body['isValid'] === true)).toHaveLength(3)
    const refused = answers.filter(({ body }) => body['isValid'] === false)
    expect(new Set(refused.map(({ body }) => body['invalidReason']))).toEqual(
      new Set(['invalid_exact_evm_insufficient_balance']),
    )
  })

  test('PAY-06 the same payment for another job is refused, for the same job it is valid again', async () => {
    const one = await signed()
    const binding = freshBinding()
    expect((await post(facilitatorRequest(one, { binding }))).body['isValid']).toBe(true)
    expect((await post(facilitatorRequest(one, { binding: freshBinding() }))).body).toMatchObject({
      isValid: false,
      invalidReason: 'payment_bound_otherwise',
    })
    expect((await post(facilitatorRequest(one, { binding }))).body['isValid']).toBe(true)
  })

  test('a released hold frees the balance for another payment', async () => {
    const payer = await stack.createPayer(PRICE)
    const [one, other] = [
      await signAuthorization(stack.crypto, payer),
      await signAuthorization(stack.crypto, payer),
    ]
    const asked = facilitatorRequest(one, { binding: freshBinding() })
    const hold = await facilitator.client.verify(asked, { timeoutMs: 600_000 })
    expect((await post(facilitatorRequest(other, { binding: freshBinding() }))).body['isValid']).toBe(false)
    await facilitator.client.release(releaseOf(asked, hold), {
      timeoutMs: 600_000,
    })
    expect((await post(facilitatorRequest(other, { binding: freshBinding() }))).body['isValid']).toBe(true)
  })

  test('judges by the head of the chain where that is a little ahead of our clock', async () => {
    const own = await startStack()
    const ahead = await own.startFacilitator()
    await own.rpc.call('evm_increaseTime', [25])
    await own.rpc.call('evm_mine', [])
    const payer = await own.createPayer(PRICE)
    const first = await signAuthorization(own.crypto, payer, { validBefore: String(now() + 30) })
    await ahead.client.verify(
      facilitatorRequest(await signAuthorization(own.crypto, payer), { binding: freshBinding() }),
      { timeoutMs: 600_000 },
    )
    const outcome = await ahead.client.verify(facilitatorRequest(first, { binding: freshBinding() }), {
      timeoutMs: 600_000,
    })
    expect(outcome).toMatchObject({
      kind: 'invalid',
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
    })
    await own.stop()
  })

  test('payments on an idle local chain, whose head is old, are checked and settled by the pending block', async () => {
    const own = await startStack()
    const payer = await own.createPayer(PRICE)
    // An hour passes and nobody uses the chain.
    await own.rpc.call('evm_increaseTime', [3_600])
    const idle = await own.startFacilitator({
      clock: { ...systemClock, nowMs: () => Date.now() + 3_600_000 },
    })
    const [from, to] = [now() + 1_800, now() + 3_900]
    const request = facilitatorRequest(
      await signAuthorization(own.crypto, payer, { validAfter: String(from), validBefore: String(to) }),
      { binding: freshBinding() },
    )
    expect(await idle.client.verify(request, { timeoutMs: 600_000 })).toMatchObject({ kind: 'valid' })
    expect(await idle.client.settle(request, { timeoutMs: 600_000 })).toMatchObject({ kind: 'settled' })
    await own.stop()
  })

  test('PAY-32 a relayer without gas money: nothing is verified, it is not ready, and no payment is called invalid', async () => {
    const poor = `0x${randomBytes(32).toString('hex')}`
    const broke = await stack.startFacilitator({ relayerKeys: [poor] })
    const request = facilitatorRequest(await signed(), { binding: freshBinding() })
    expect(await broke.client.verify(request, { timeoutMs: 600_000 })).toMatchObject({ kind: 'unavailable' })
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
    expect(await thrifty.client.verify(request, { timeoutMs: 600_000 })).toMatchObject({
      kind: 'unavailable',
    })
  })

  test('PAY-23 does not start on another chain than it is configured for', async () => {
    const rpc = {
      ...stack.rpc,
      call: async (method: string, ...rest: [readonly unknown[]]) =>
        method === 'eth_chainId' ? '0x2105' : await stack.rpc.call(method, ...rest),
    }
    await expect(stack.startFacilitator({ rpc })).rejects.toThrow('the node is on chain 8453')
  })

  test('PAY-39 does not start where the token has another domain', async () => {
    const wrong = { ...NETWORK, asset: { ...NETWORK.asset, domain: { name: 'USD Coin', version: '2' } } }
    await expect(stack.startFacilitator({ network: wrong })).rejects.toThrow('DOMAIN_SEPARATOR')
  })

  test('PAY_TO is compared without regard to letter case', async () => {
    const shouting = `0x${PAY_TO.slice(2).toUpperCase()}`
    expect(
      (await post(facilitatorRequest(await signed(), { binding: freshBinding() }, { payTo: shouting }))).body[
        'isValid'
      ],
    ).toBe(true)
  })
})
