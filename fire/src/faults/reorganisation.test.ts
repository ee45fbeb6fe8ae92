import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { fund } from '@farebox/local/chain/faucet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setFaultStage, type FaultStage } from './fault-stage.ts'
import { newPayer, PAYER_ATOMIC, transfersOf } from './payer.ts'
import { playFault } from './play-fault.ts'

let stage: FaultStage

beforeAll(async () => {
  stage = await setFaultStage()
})

afterAll(() => stage.stop())

test('PAY-18 a reorganisation that undoes a paid job’s transfer: it is found and sent again, once', async () => {
  const rpc = createJsonRpc(stage.stage.chain.rpcUrl)
  const payer = newPayer(stage)
  await fund(stage.stage.chain, payer.address, { usdcAtomic: PAYER_ATOMIC })
  const nothing = {
    name: 'nothing happens',
    at: 'agent',
    ends: 'delivered',
    fault: () => async () => false,
  } as const
  expect(await playFault(stage, rpc, nothing, payer)).toMatchObject({
    ended: 'delivered',
    transfers: 1,
    wrong: undefined,
  })

  await rpc.call('anvil_reorg', [1, []])
  expect(await transfersOf(rpc, payer.address)).toEqual([])
  // A facilitator compares ledger and chain as it starts.
  await stage.stage.facilitator({ name: 'second', rpcUrl: stage.node.url })
  await expect.poll(async () => await transfersOf(rpc, payer.address), { timeout: 20_000 }).toHaveLength(1)
  await rpc.close()
}, 60_000)
