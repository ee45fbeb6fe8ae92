import { systemClock } from '@farebox/protocol/time/clock'
import { createRelayerNode } from './account/relayer-node.ts'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  facilitatorRequest,
  freshBinding,
  freshKey,
  PRICE,
  signAuthorization,
} from '../test-setup/payments-for-tests.ts'
import { hasPostgres, startStack, type Stack } from '../test-setup/start-stack.ts'
import { gasLimit } from './account/relayer-account.ts'

describe.runIf(await hasPostgres())('relayer accounts with gas for less than a full transaction', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
  })
  afterAll(async () => await stack.stop())

  /** A key of an account that can pay for this many settlements. */
  const keyWith = async (settlements: bigint): Promise<string> => {
    const key = freshKey()
    const { maxFeePerGas } = await createRelayerNode(stack.rpc, systemClock).fees()
    const wei = settlements * gasLimit(1) * maxFeePerGas
    await stack.rpc.call('anvil_setBalance', [stack.crypto.addressOf(fromHex(key)), `0x${wei.toString(16)}`])
    return key
  }
  /** Settles this many payments that a process which does not send has captured before. */
  const settleMany = async (relayerKeys: readonly string[], count: number): Promise<ReadonlySet<string>> => {
    const ledger = await stack.openLedger()
    const leases = { ...ledger.leases, acquire: async () => await Promise.resolve(undefined) }
    const taking = await stack.startFacilitator({
      ledger: { ...ledger, leases },
      limits: { settleWaitMs: 100 },
    })
    const payer = await stack.createPayer(PRICE * BigInt(count))
    const requests = await Promise.all(
      Array.from({ length: count }, async () => {
        const signed = await signAuthorization(stack.crypto, payer)
        const request = facilitatorRequest(signed, { binding: freshBinding() })
        expect(await taking.verify(request)).toMatchObject({ kind: 'valid' })
        expect(await taking.settle(request)).toMatchObject({ kind: 'unknown' })
        return request
      }),
    )
    const paying = await stack.startFacilitator({ relayerKeys, limits: { settleWaitMs: 10_000 } })
    const outcomes = await Promise.all(requests.map(request => paying.settle(request)))
    await paying.close()
    await taking.close()
    return new Set(outcomes.map(({ kind }) => kind))
  }

  test('an account without gas money does not delay another that has some', async () => {
    expect(await settleMany([await keyWith(0n), await keyWith(100n)], 3)).toEqual(new Set(['settled']))
  })

  test('an account pays for as many settlements as it can, however many wait', async () => {
    expect(await settleMany([await keyWith(70n)], 100)).toEqual(new Set(['settled']))
  })
})
