import { setTimeout as delay } from 'node:timers/promises'
import { encodeFunctionData, type Hex } from 'viem'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { encodeTransfer } from '@farebox/facilitator/src/chain/calldata'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'
import { startNodesStage, type NodesStage } from './nodes-stage.ts'
import type { StagedPayment } from './staged-payment.ts'
import { untilTrue } from './until-true.ts'
import { untilWritten } from './until-written.ts'

/** Blocks are replaced by others in which the money, or the nonce, is used for something else. */
export const conflictingReorganisations: Attack = {
  id: 'N1',
  rule: 'A settlement undone for good is counted and logged as lost; any other is paid again.',
  title: 'reorganisations with conflicting transactions',
  needs: [],
  async run(): Promise<readonly Score[]> {
    const cancelled = await conflict(cancels, 60)
    const drained = await conflict(drains, 60)
    const taken = await conflict(takesRelayerNonce, 60)
    return [
      lossScore('the payer cancels', cancelled),
      lossScore('the payer’s money is gone', drained),
      {
        test: 'the relayer’s nonce is used otherwise: paid again',
        reached: `${taken.transfers} transfers, ${taken.lost} lost`,
        target: '1 transfer, none lost',
        isMet: taken.transfers === 1 && taken.lost === 0,
      },
    ]
  },
}

/** What became of a settled payment whose block was replaced. */
interface Aftermath {
  readonly transfers: number
  /** By the metric. */
  readonly lost: number
  /** Whether the log has it as an error. */
  readonly isSaid: boolean
}

/** A transaction of a new block, as anvil takes it: sent by an account whose key it has. */
type Conflict = (stage: NodesStage, payment: StagedPayment) => Promise<object | undefined>

async function conflict(act: Conflict, validForSeconds: number): Promise<Aftermath> {
  const stage = await startNodesStage()
  try {
    const payment = await settled(stage, validForSeconds)
    const transaction = await act(stage, payment)
    await mineUntilUndone(stage, payment, 3, transaction)
    if (act === drains) await untilDead(stage, payment)
    await untilTrue(async () => {
      const isLost = (await stage.counter('payments_lost_total')) > 0
      return isLost || (await stage.transfers(payment)) === 1
    })
    return {
      transfers: await stage.transfers(payment),
      lost: await stage.counter('payments_lost_total'),
      isSaid: stage.log.some(({ level, message }) => level === 'error' && message.includes('lost')),
    }
  } finally {
    await stage.stop()
  }
}

/** A loss is certain when the authorization is dead for good: until then the payer may have money again. */
async function untilDead(stage: NodesStage, { authorization }: StagedPayment): Promise<void> {
  // Long enough that a payment which could be made again would have been.
  await delay(10_000)
  const seconds = Number(authorization.validBefore) + stage.network.finalitySeconds - Date.now() / 1_000 + 2
  await callAnvil(stage.chain.rpcUrl, 'evm_increaseTime', [Math.ceil(seconds)])
  stage.clock.aheadMs = Math.ceil(seconds) * 1_000
}

function lossScore(name: string, { transfers, lost, isSaid }: Aftermath): Score {
  return {
    test: `${name}: the loss is counted and said`,
    reached: `${transfers} transfers, ${lost} counted as lost, ${isSaid ? 'an error' : 'no error'} in the log`,
    target: '1 counted, an error in the log',
    isMet: transfers === 0 && lost === 1 && isSaid,
  }
}

async function settled(stage: NodesStage, validForSeconds: number): Promise<StagedPayment> {
  const payment = await stage.payment({ validForSeconds })
  await stage.verify(payment)
  // As an agent does: again until it is known.
  let told = ''
  const settledMs = await untilTrue(async () => {
    const outcome = await stage.settle(payment)
    told = JSON.stringify(outcome)
    return outcome.kind === 'settled'
  })
  if (settledMs === undefined) throw new Error(`not settled: ${told}`)
  await untilWritten(stage, [payment])
  return payment
}

/** Replaces the settlement's block, and at least so many, by blocks without it. */
async function mineUntilUndone(
  stage: NodesStage,
  payment: StagedPayment,
  depth: number,
  transaction?: object,
): Promise<void> {
  const { rows } = await stage.database.query<{ block: string }>(
    `select block_number as block from ${stage.schema}.payments where key = $1`,
    [payment.key],
  )
  const block = Number(rows[0]?.block)
  const newest = async (): Promise<number> =>
    Number(await callAnvil(stage.chain.rpcUrl, 'eth_blockNumber', []))
  await untilTrue(async () => (await newest()) - block + 1 >= depth)
  const transactions = transaction === undefined ? [] : [[transaction, 0]]
  await callAnvil(stage.chain.rpcUrl, 'anvil_reorg', [(await newest()) - block + 1, transactions])
}

async function cancels(stage: NodesStage, payment: StagedPayment): Promise<object> {
  const { from, nonce } = payment.authorization
  const hasher = createAuthorizationHasher(stage.crypto, stage.network)
  const signature = stage.crypto.sign(hasher.hashCancel(from, nonce), fromHex(payment.payerKey))
  const data = encodeFunctionData({
    abi: localUsdcAbi,
    functionName: 'cancelAuthorization',
    args: [
      from as Hex,
      nonce as Hex,
      signature[64] ?? 0,
      toHex(signature.subarray(0, 32)) as Hex,
      toHex(signature.subarray(32, 64)) as Hex,
    ],
  })
  return { from: TEST_KEYS.stranger.address, to: stage.chain.usdc, data, gas: '0x30d40' }
}

async function drains(stage: NodesStage, payment: StagedPayment): Promise<object> {
  const authorization = {
    ...payment.authorization,
    to: TEST_KEYS.stranger.address.toLowerCase(),
    nonce: `0x${'1'.repeat(64)}`,
  }
  const hasher = createAuthorizationHasher(stage.crypto, stage.network)
  const signature = stage.crypto.sign(hasher.hashTransfer(authorization), fromHex(payment.payerKey))
  const data = encodeTransfer(authorization, toHex(signature))
  return await Promise.resolve({
    from: TEST_KEYS.stranger.address,
    to: stage.chain.usdc,
    data,
    gas: '0x30d40',
  })
}

async function takesRelayerNonce(): Promise<object> {
  return await Promise.resolve({
    from: TEST_KEYS.relayer.address,
    to: TEST_KEYS.stranger.address,
    value: '0x1',
    gas: '0x5208',
  })
}
