import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Ledger } from '../ledger/ledger.ts'
import {
  facilitatorRequest,
  freshBinding,
  freshKey,
  NETWORK,
  PRICE,
  signAuthorization,
} from '../test-setup/payments-for-tests.ts'
import { hasPostgres, startStack, type RunningFacilitator, type Stack } from '../test-setup/start-stack.ts'
import { openToken, type TokenForTests } from '../test-setup/token-for-tests.ts'
import { READY_MS } from './charge-at-once.ts'

const IN_TIME = { timeoutMs: 600_000 }
/** Waits for the node without a time limit, so that the payment is charged at once on any machine. */
const PATIENT: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms === READY_MS ? IN_TIME.timeoutMs : ms, callback),
}

describe.runIf(await hasPostgres())('a payment that is settled while no other is', () => {
  let stack: Stack
  let token: TokenForTests
  let facilitator: RunningFacilitator
  /** The ledger steps that captured or saved something, in the order of the calls. */
  const steps: string[] = []

  beforeAll(async () => {
    stack = await startStack()
    token = openToken(stack.rpc, stack.crypto)
    const ledger = await stack.openLedger()
    const note = <Step extends (...words: never[]) => unknown>(name: string, step: Step): Step =>
      ((...words) => {
        steps.push(name)
        return step(...words)
      }) as Step
    const noted: Ledger = {
      ...ledger,
      payments: { ...ledger.payments, capture: note('capture', ledger.payments.capture) },
      settlements: {
        ...ledger.settlements,
        submit: note('submit', ledger.settlements.submit),
        captureAndSubmit: note('captureAndSubmit', ledger.settlements.captureAndSubmit),
      },
    }
    const relayerKeys = [TEST_KEYS.relayer.privateKey, TEST_KEYS.deployer.privateKey]
    facilitator = await stack.startFacilitator({ ledger: noted, relayerKeys, clock: PATIENT })
  })
  afterAll(async () => await stack.stop())
  beforeEach(() => {
    steps.length = 0
  })

  const held = async () => {
    const payer = await stack.createPayer(PRICE)
    const signed = await signAuthorization(stack.crypto, payer)
    const request = facilitatorRequest(signed, { binding: freshBinding() })
    expect(await facilitator.verify(request)).toMatchObject({ kind: 'valid' })
    return { ...signed, payer, request }
  }
  const settle = async ({ request }: Awaited<ReturnType<typeof held>>): Promise<string> =>
    (await facilitator.settle(request)).kind

  test('is captured and its transaction saved in one step of the ledger', async () => {
    const settleOne = async (): Promise<readonly string[]> => {
      const payment = await held()
      steps.length = 0
      expect(await settle(payment)).toBe('settled')
      return [...steps]
    }
    // At first the keys may not be leased yet, or the loop may be at work.
    await expect.poll(settleOne).toEqual(['captureAndSubmit'])
  })

  test('is not settled in one step when others arrive with it: all are captured, and sent together', async () => {
    const payments = [await held(), await held(), await held(), await held()]
    expect(new Set(await Promise.all(payments.map(settle)))).toEqual(new Set(['settled']))
    expect(steps.filter(step => step === 'captureAndSubmit').length).toBeLessThanOrEqual(2)
    expect(steps).toContain('capture')
    for (const { authorization } of payments) expect(await token.countTransfers(authorization.from)).toBe(1)
  })

  test('is simulated first: one that its payer cancelled is not sent', async () => {
    const payment = await held()
    await token.cancel(payment.payer, payment.authorization.nonce)
    const sent = async (): Promise<number> => {
      const counts = await Promise.all(
        facilitator.relayers.map(relayer => stack.rpc.call('eth_getTransactionCount', [relayer, 'latest'])),
      )
      return counts.reduce<number>((sum, count) => sum + Number(count), 0)
    }
    const before = await sent()
    expect(await settle(payment)).toBe('failed')
    expect(steps).toEqual(['capture'])
    expect(await sent()).toBe(before)
  })

  test('of an account that has got code since is handled in the lane for such payments', async () => {
    const payment = await held()
    await stack.rpc.call('anvil_setCode', [payment.authorization.from, '0x00'])
    await settle(payment)
    expect(steps).toContain('capture')
    expect(steps).not.toContain('captureAndSubmit')
  })

  test('D10 is captured while the node does not answer, so that its hold is not released meanwhile', async () => {
    const payment = await held()
    const ledger = await stack.openLedger()
    let isSilent = false
    let answers = (): void => undefined
    const isCaptured = new Promise<void>(resolve => {
      answers = resolve
    })
    const rpc: JsonRpc = {
      ...stack.rpc,
      call: async (method, ...rest) => {
        // The simulation of a transaction, as it would be sent.
        if (isSilent && method === 'eth_call' && JSON.stringify(rest).includes('maxFeePerGas'))
          await isCaptured
        return await stack.rpc.call(method, ...rest)
      },
    }
    const slow = await stack.startFacilitator({ rpc, relayerKeys: [freshKey()] })
    isSilent = true
    const answer = slow.settle(payment.request)
    const { from, nonce } = payment.authorization
    const key = `84532:${NETWORK.asset.address}:${from}:${nonce}`
    const look = async (): Promise<string | undefined> => (await ledger.payments.find([key]))[0]?.state
    await expect.poll(look).not.toBe('held')
    isSilent = false
    answers()
    expect(await answer).toMatchObject({ kind: 'settled' })
    await slow.close()
  })
})
