import { randomBytes } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '@farebox/server/clock'
import {
  releaseOf,
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
  const post = async (body: object): Promise<Answer> => {
    const answer = await facilitator.app.inject({
      method: 'POST',
      url: '/verify',
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

  describe('asks the chain: refuses', () => {
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

  test.each([{ binding: 'job' }, { binding: freshBinding(), holdUntil: 'soon' }])(
    'a hold that cannot be asked for is no request: %j',
    async hold => {
      const request = { ...facilitatorRequest(await signed()), extensions: { [HOLD_EXTENSION]: hold } }
      expect(await post(request)).toMatchObject({ status: 400, body: { invalidReason: 'invalid_payload' } })
    },
  )

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
})
