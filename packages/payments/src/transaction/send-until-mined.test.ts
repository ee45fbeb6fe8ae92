import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { JsonRpcError, type JsonRpc } from '../chain/json-rpc.ts'
import { createJsonRpc } from '../chain/json-rpc-pool.ts'
import { fromHex } from '../crypto/bytes.ts'
import { loadEvmCrypto, type EvmCrypto } from '../crypto/evm-crypto.ts'
import { broadcast, whyRefused } from './broadcast.ts'
import { chooseFees } from './choose-fees.ts'
import { estimateGas } from './estimate-gas.ts'
import { sendUntilMined, type FollowLimits, type SentTransaction } from './send-until-mined.ts'
import { countTransactions, readCoinBalance } from './read-account.ts'
import { signTransaction, type UnsignedTransaction } from './sign-transaction.ts'

const { address: FROM, privateKey: KEY } = TEST_KEYS.agent
const TO = TEST_KEYS.payer.address
/** `transfer(address,uint256)` of more than any account holds: the token reverts. */
const TOO_MUCH = `0xa9059cbb${TO.slice(2).toLowerCase().padStart(64, '0')}${'7'.repeat(64)}`

let chain: LocalChain
let rpc: JsonRpc
let crypto: EvmCrypto

beforeAll(async () => {
  chain = await startChain()
  rpc = createJsonRpc(chain.rpcUrl)
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  await callAnvil(chain.rpcUrl, 'anvil_dropAllTransactions', [])
  await callAnvil(chain.rpcUrl, 'evm_setAutomine', [true])
})

afterAll(async () => {
  await rpc.close()
  await chain.stop()
})

/** The next transaction of an account, with the chain's current values; nothing is sent. */
async function sign(changes: Partial<UnsignedTransaction> = {}): Promise<SentTransaction> {
  const call = { from: FROM, to: TO, valueWei: 1_000n, callData: '0x' }
  const [{ maxFeePerGas, maxPriorityFeePerGas }, gasLimit, nonce] = await Promise.all([
    chooseFees(rpc),
    estimateGas(rpc, call),
    countTransactions(rpc, FROM, 'latest'),
  ])
  const { chainId } = chain
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const transaction = { ...call, ...fees, chainId, nonce, gasLimit, ...changes }
  const signed = signTransaction(crypto, digest => crypto.sign(digest, fromHex(KEY)), transaction)
  return { ...signed, from: FROM, nonce: transaction.nonce }
}

/** Waits only as long as the node takes to answer; the time is simulated. */
function limits(given: Partial<FollowLimits> = {}): FollowLimits {
  let nowMs = 0
  const clock = {
    nowMs: () => nowMs,
    after(ms: number, callback: () => void) {
      nowMs += ms
      return systemClock.after(5, callback)
    },
  }
  return { clock, timeoutMs: 30_000, signal: new AbortController().signal, ...given }
}

/** The chain's node, with other answers to one method for some calls; `undefined` passes the call on. */
function withAnswers(
  method: string,
  answer: (parameters: readonly unknown[]) => unknown,
  times: number,
): Pick<JsonRpc, 'call'> {
  let left = times
  return {
    async call(asked, parameters, options) {
      if (asked === method && left > 0) {
        left -= 1
        const given = await answer(parameters)
        if (given !== undefined) return given
      }
      return await rpc.call(asked, parameters, options)
    },
  }
}

const mine = (blocks = 1): Promise<unknown> =>
  callAnvil(chain.rpcUrl, 'anvil_mine', [`0x${blocks.toString(16)}`])
const mineNothingBySelf = (): Promise<unknown> => callAnvil(chain.rpcUrl, 'evm_setAutomine', [false])

describe('a transaction that is followed', () => {
  test('is sent, is mined, and has its effect', async () => {
    const before = await readCoinBalance(rpc, TO)
    const sent = await sign()
    const followed = await sendUntilMined(rpc, sent, limits())
    expect(followed).toMatchObject({
      outcome: 'in a block',
      receipt: { succeeded: true, transactionHash: sent.hash },
    })
    expect(await readCoinBalance(rpc, TO)).toBe(before + 1_000n)
  })

  test('is reported as reverted when the contract refuses it', async () => {
    const sent = await sign({ to: chain.usdc, valueWei: 0n, callData: TOO_MUCH, gasLimit: 100_000n })
    const followed = await sendUntilMined(rpc, sent, limits())
    expect(followed).toMatchObject({ outcome: 'in a block', receipt: { succeeded: false } })
  })

  test('is found when it is already mined, and not sent again', async () => {
    const sent = await sign()
    await broadcast(rpc, sent.raw)
    const never = withAnswers('eth_sendRawTransaction', () => Promise.reject(new Error('sent again')), 1)
    expect(await sendUntilMined(never, sent, limits())).toMatchObject({ outcome: 'in a block' })
  })

  test.each([
    ['without a status', { status: undefined }],
    ['with a status nobody knows', { status: '0x2' }],
    ['without logs', { logs: undefined }],
    ['without a block', { blockHash: null }],
    ['of another transaction', { transactionHash: `0x${'12'.repeat(32)}` }],
  ])('a receipt %s proves nothing: the transaction is neither failed nor replaced', async (_, changes) => {
    const sent = await sign()
    await broadcast(rpc, sent.raw)
    const strange = withAnswers(
      'eth_getTransactionReceipt',
      async parameters => ({
        ...((await rpc.call('eth_getTransactionReceipt', parameters)) as object),
        ...changes,
      }),
      Number.POSITIVE_INFINITY,
    )
    expect(await sendUntilMined(strange, sent, limits())).toEqual({ outcome: 'open' })
    expect(await sendUntilMined(rpc, sent, limits())).toMatchObject({ receipt: { succeeded: true } })
  })

  test('is sent again as long as the node does not have it', async () => {
    await mineNothingBySelf()
    const sent = await sign()
    let losses = 3
    const forgetful = withAnswers(
      'eth_getTransactionReceipt',
      async () => {
        if (losses === 0) await mine()
        else await callAnvil(chain.rpcUrl, 'anvil_dropTransaction', [sent.hash])
        losses -= 1
        return undefined
      },
      4,
    )
    expect(await sendUntilMined(forgetful, sent, limits())).toMatchObject({ outcome: 'in a block' })
  })

  test('is void once another one has used its nonce', async () => {
    const sent = await sign()
    await broadcast(rpc, (await sign({ valueWei: 2_000n })).raw)
    expect(await sendUntilMined(rpc, sent, limits())).toEqual({ outcome: 'dead' })
  })

  test('is not void when a node that is behind does not have its receipt yet', async () => {
    const sent = await sign()
    await broadcast(rpc, sent.raw)
    const behind = withAnswers('eth_getTransactionReceipt', () => null, 4)
    expect(await sendUntilMined(behind, sent, limits())).toMatchObject({ outcome: 'in a block' })
  })

  test('is open when it is not mined in time, and is followed by the next call', async () => {
    await mineNothingBySelf()
    const sent = await sign()
    expect(await sendUntilMined(rpc, sent, limits({ timeoutMs: 3_000 }))).toEqual({ outcome: 'open' })
    await mine()
    expect(await sendUntilMined(rpc, sent, limits())).toMatchObject({ outcome: 'in a block' })
  })

  test.each([
    ['does not answer', () => new Error('no answer')],
    [
      'refuses to say',
      () => new JsonRpcError('eth_getTransactionCount', -32_005, 'too many requests', undefined),
    ],
    ['answers nonsense', () => undefined],
  ])('survives a node that for a while %s', async (_, failure) => {
    const failing = withAnswers(
      'eth_getTransactionCount',
      () => {
        const error = failure()
        return error === undefined ? { no: 'number' } : Promise.reject(error)
      },
      4,
    )
    const followed = await sendUntilMined(failing, await sign(), limits({ maxSilences: 5 }))
    expect(followed).toMatchObject({ outcome: 'in a block' })
  })

  test('is left open when the node has been silent as often as allowed', async () => {
    const gone = withAnswers('eth_getTransactionCount', () => Promise.reject(new Error('no answer')), 5)
    expect(await sendUntilMined(gone, await sign(), limits({ maxSilences: 5 }))).toEqual({
      outcome: 'open',
    })
  })

  test('is left open when the signal aborts', async () => {
    await mineNothingBySelf()
    const sent = await sign()
    const signal = AbortSignal.abort(new Error('stopped'))
    expect(await sendUntilMined(rpc, sent, limits({ signal }))).toEqual({ outcome: 'open' })
  })
})

describe('a node’s refusal of a transaction', () => {
  test('is classified: already known, nonce used, fees too low, balance too low', async () => {
    await mineNothingBySelf()
    const { baseFeePerGas } = await chooseFees(rpc)
    const first = await sign({ maxFeePerGas: baseFeePerGas * 3n })
    expect(await broadcast(rpc, first.raw)).toEqual({ kind: 'sent' })
    expect(await broadcast(rpc, first.raw)).toEqual({ kind: 'sent' })
    const cheaper = await sign({ nonce: first.nonce, valueWei: 5n, maxFeePerGas: baseFeePerGas * 2n })
    expect(await broadcast(rpc, cheaper.raw)).toMatchObject({ kind: 'refused', why: 'underpriced' })
    await mine()
    expect(await broadcast(rpc, cheaper.raw)).toMatchObject({ kind: 'refused', why: 'nonce-used' })
    const dear = await sign({ valueWei: 10n ** 30n })
    expect(await broadcast(rpc, dear.raw)).toMatchObject({ kind: 'refused', why: 'no-funds' })
    expect(await broadcast(rpc, '0x02c0')).toMatchObject({ kind: 'refused', why: 'other' })
  })

  test.each([
    ['already known', 'known'],
    ['known transaction: 0xabc', 'known'],
    ['unknown transaction type', 'other'],
    ['The transaction was added to the mempool but the request timed out', 'timed-out'],
    ['replacement transaction underpriced', 'underpriced'],
    ['insufficient funds for gas * price + value', 'no-funds'],
  ])('"%s" is %s', (message, why) => {
    expect(whyRefused(message)).toBe(why)
  })

  test('is passed on when there is no answer, because it may have been sent', async () => {
    const gone = withAnswers('eth_sendRawTransaction', () => Promise.reject(new Error('no answer')), 1)
    await expect(broadcast(gone, '0x02')).rejects.toThrow('no answer')
  })
})

describe('gas', () => {
  test('is the node’s estimate and a quarter more', async () => {
    const call = { from: FROM, to: TO, valueWei: 0n, callData: '0x' }
    const asked = [{ from: FROM, to: TO, value: '0x0', data: '0x' }]
    const estimated = BigInt(String(await rpc.call('eth_estimateGas', asked)))
    expect(await estimateGas(rpc, call)).toBe((estimated * 125n) / 100n)
  })

  test('is refused with the node’s message for a call that would revert', async () => {
    const call = { from: FROM, to: chain.usdc, valueWei: 0n, callData: TOO_MUCH }
    await expect(estimateGas(rpc, call)).rejects.toBeInstanceOf(JsonRpcError)
  })
})
