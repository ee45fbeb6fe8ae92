import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  facilitatorRequest,
  freshBinding,
  NETWORK,
  PRICE,
  signAuthorization,
} from '../test-setup/payments-for-tests.ts'
import { hasPostgres, startStack, type Stack } from '../test-setup/start-stack.ts'
import { openToken } from '../test-setup/token-for-tests.ts'

describe.runIf(await hasPostgres())('the answer of a node about a captured payment', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
  })
  afterAll(async () => await stack.stop())

  test('D41a is not recorded while the node is on another chain than before', async () => {
    let isElsewhere = false
    let asked = 0
    const rpc: JsonRpc = {
      ...stack.rpc,
      call: async (method, ...rest) => {
        if (isElsewhere) asked += 1
        if (isElsewhere && method === 'eth_chainId') return '0x1'
        const answer = await stack.rpc.call(method, ...rest)
        if (!isElsewhere || method !== 'eth_getBlockByNumber') return answer
        return { ...(answer as object), hash: `0x${'ab'.repeat(32)}` }
      },
    }
    const facilitator = await stack.startFacilitator({ rpc })
    const payer = await stack.createPayer(PRICE)
    const signed = await signAuthorization(stack.crypto, payer)
    const request = facilitatorRequest(signed, { binding: freshBinding() })
    expect(await facilitator.verify(request)).toMatchObject({ kind: 'valid' })
    const { from, nonce } = signed.authorization
    await openToken(stack.rpc, stack.crypto).cancel(payer, nonce)

    isElsewhere = true
    const answer = facilitator.settle(request)
    const ledger = await stack.openLedger()
    const look = async (): Promise<string | undefined> =>
      (await ledger.payments.find([`84532:${NETWORK.asset.address}:${from}:${nonce}`]))[0]?.state
    await expect.poll(look).toBe('captured')
    const before = asked
    await until(() => asked >= before + 20)
    expect(await look()).toBe('captured')

    isElsewhere = false
    await expect.poll(look).toBe('failed')
    expect((await answer).kind).not.toBe('settled')
    await facilitator.close()
  })

  test('PAY-18 is not recorded when its block is replaced before: the payment is inspected again, and paid', async () => {
    let snapshot: unknown
    let looks = 0
    // The watch sleeps for two seconds after each check of the chain.
    const clock: Clock = {
      ...systemClock,
      after(ms, callback) {
        if (ms === 2_000) looks += 1
        return systemClock.after(ms, callback)
      },
    }
    let wasSeen = false
    let wasReplaced = false
    const rpc: JsonRpc = {
      ...stack.rpc,
      call: async (method, params, ...rest) => {
        // The first request for a block by its number after the cancellation was found.
        if (wasSeen && !wasReplaced && method === 'eth_getBlockByNumber' && params[0] !== 'latest') {
          wasReplaced = true
          await stack.rpc.call('evm_revert', [snapshot])
          await stack.rpc.call('evm_increaseTime', [1])
          for (let block = 0; block < 3; block += 1) await stack.rpc.call('evm_mine', [])
        }
        const answer = await stack.rpc.call(method, params, ...rest)
        if (snapshot !== undefined && method === 'eth_getLogs') wasSeen = true
        return answer
      },
    }
    const facilitator = await stack.startFacilitator({ rpc, clock })
    const payer = await stack.createPayer(PRICE)
    const signed = await signAuthorization(stack.crypto, payer)
    const request = facilitatorRequest(signed, { binding: freshBinding() })
    expect(await facilitator.verify(request)).toMatchObject({ kind: 'valid' })
    const before = await stack.rpc.call('evm_snapshot', [])
    await openToken(stack.rpc, stack.crypto).cancel(payer, signed.authorization.nonce)
    // One check may have been in progress; the next one has seen the block as the head.
    const looksBefore = looks
    await until(() => looks >= looksBefore + 2)
    snapshot = before
    expect(await facilitator.settle(request)).toMatchObject({ kind: 'settled' })
    expect(wasReplaced).toBe(true)
    await facilitator.close()
  })
})
