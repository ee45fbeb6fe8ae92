import { randomBytes } from 'node:crypto'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import { sendTestTransaction } from '@farebox/local/src/chain/send-transaction'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createAuthorizationHasher, type Authorization } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { receiptProvesPayment } from '@farebox/payments/chain/chain-proof'
import { parseReceipt, type ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import { findSettlement, readHead } from '@farebox/payments/chain/find-settlement'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { authorizationTypedData, privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const PAYER = TEST_KEYS.payer
const AGENT = TEST_KEYS.agent.address.toLowerCase()
const STRANGER = TEST_KEYS.stranger.address.toLowerCase()
/** Enough for any call here; with an explicit limit, the chain also mines transactions that revert. */
const GAS = '0x7a120'

/** An authorization with its payer's signature. */
interface Signed {
  readonly authorization: Authorization
  readonly signature: string
}

let chain: LocalChain
let rpc: JsonRpc
let crypto: EvmCrypto
let network: Network

beforeAll(async () => {
  chain = await startChain()
  rpc = createJsonRpc(chain.rpcUrl)
  crypto = await loadEvmCrypto()
  const found = findNetwork(`eip155:${chain.chainId}`)
  if (found === undefined) throw new Error(`no network of chain ${chain.chainId}`)
  network = found
  await fund(chain, PAYER.address, { usdcAtomic: 1_000_000n })
})

afterAll(async () => {
  await rpc.close()
  await chain.stop()
})

describe('the outcome of an authorization', () => {
  test('D10 a payment settled by our own transaction is reported with its hash and block', async () => {
    const payment = await sign()
    const receipt = await settle(payment)
    expect(await verdictOn(payment)).toEqual({
      kind: 'settled',
      transaction: receipt.transactionHash,
      blockNumber: receipt.blockNumber,
    })
    expect(receiptProvesPayment(network, payment.authorization, receipt)).toBe(true)
  })

  test('PAY-16 a payment settled by a foreign sender counts as settled', async () => {
    const payment = await sign()
    const receipt = await settle(payment, STRANGER)
    expect(await verdictOn(payment)).toMatchObject({ kind: 'settled', transaction: receipt.transactionHash })
  })

  test('D10 each payment in a batch is distinguished from a transfer with the same amounts', async () => {
    // One nonce was signed twice: for the agent, about which the test asks, and for another payee, whose transfer is
    // mined.
    const nonce = freshNonce()
    const [asked, mined, twin] = await Promise.all([sign({ nonce }), sign({ nonce, to: STRANGER }), sign()])
    const receipt = await settleTogether([mined, twin])
    expect(receipt.logs).toHaveLength(4)
    expect(await verdictOn(asked)).toEqual({
      kind: 'spent-otherwise',
      transaction: receipt.transactionHash,
      how: 'other-transfer',
      isFinal: false,
    })
    expect(await verdictOn(mined)).toMatchObject({ kind: 'settled', transaction: receipt.transactionHash })
    expect(await verdictOn(twin)).toMatchObject({ kind: 'settled', transaction: receipt.transactionHash })
  })

  test('D10 a payment that failed in a batch stays unused beside the one that passed', async () => {
    const [good, tooMuch] = await Promise.all([sign(), sign({ value: '1000000000' })])
    const receipt = await settleTogether([good, tooMuch])
    expect(await verdictOn(good)).toMatchObject({ kind: 'settled', transaction: receipt.transactionHash })
    expect(await verdictOn(tooMuch)).toMatchObject({ kind: 'unused' })
    expect(receiptProvesPayment(network, tooMuch.authorization, receipt)).toBe(false)
  })

  test('PAY-07 a nonce used for another value is reported as spent otherwise', async () => {
    const nonce = freshNonce()
    const [asked, mined] = await Promise.all([sign({ nonce }), sign({ nonce, value: '9999' })])
    const receipt = await settle(mined)
    expect(await verdictOn(asked)).toEqual({
      kind: 'spent-otherwise',
      transaction: receipt.transactionHash,
      how: 'other-transfer',
      isFinal: false,
    })
  })

  test('PAY-10 a payment cancelled by the payer is reported as cancelled, with the digest that we compute', async () => {
    const payment = await sign()
    const { from, nonce } = payment.authorization
    const digest = createAuthorizationHasher(crypto, network).hashCancel(from, nonce)
    const signature = hex(toHex(crypto.sign(digest, fromHex(PAYER.privateKey))))
    const receipt = await send(
      chain.usdc,
      encodeFunctionData({
        abi: localUsdcAbi,
        functionName: 'cancelAuthorization',
        args: [hex(from), hex(nonce), signature],
      }),
    )
    expect(receipt.succeeded).toBe(true)
    expect(await verdictOn(payment)).toEqual({
      kind: 'spent-otherwise',
      transaction: receipt.transactionHash,
      how: 'cancelled',
      isFinal: false,
    })
  })

  test('D8 an unused nonce is reported with the head block, before and after the payment expires', async () => {
    const payment = await sign()
    const before = await readHead(rpc)
    expect(await verdictOn(payment)).toEqual({
      kind: 'unused',
      headSeconds: before.seconds,
      headNumber: before.number,
    })
    await rpc.call('evm_increaseTime', [7_200])
    await rpc.call('evm_mine', [])
    const later = await verdictOn(payment)
    expect(later).toMatchObject({ kind: 'unused', headNumber: before.number + 1n })
    if (later.kind !== 'unused') throw new Error(later.kind)
    expect(later.headSeconds).toBeGreaterThan(Number(payment.authorization.validBefore))
    expect((await settle(payment)).succeeded).toBe(false)
    expect(await verdictOn(payment)).toMatchObject({ kind: 'unused' })
  })

  test('D8 a settlement is found after 500 more blocks', async () => {
    const payment = await sign()
    const receipt = await settle(payment)
    for (let mined = 0; mined < 500; mined += 50) await rpc.call('anvil_mine', ['0x32'])
    expect((await readHead(rpc)).number).toBe(receipt.blockNumber + 500n)
    expect(await verdictOn(payment)).toEqual({
      kind: 'settled',
      transaction: receipt.transactionHash,
      blockNumber: receipt.blockNumber,
    })
  })

  test('PAY-18 a settlement is no longer reported after a reorganisation removes its block', async () => {
    const payment = await sign()
    const snapshot = await rpc.call('evm_snapshot', [])
    await settle(payment)
    expect(await verdictOn(payment)).toMatchObject({ kind: 'settled' })
    await rpc.call('evm_revert', [snapshot])
    expect(await verdictOn(payment)).toMatchObject({ kind: 'unused' })
  })
})

describe('PAY-33 when the chain cannot be read', () => {
  test('a chain without the token is rejected with the likely cause', async () => {
    const other = findNetwork('eip155:8453')
    if (other === undefined) throw new Error('no network')
    const { authorization } = await sign()
    await expect(findSettlement(rpc, other, authorization, (await readHead(rpc)).seconds)).rejects.toThrow(
      `is ${other.asset.address} USDC on this chain?`,
    )
  })
})

async function verdictOn(payment: Signed): ReturnType<typeof findSettlement> {
  return await findSettlement(rpc, network, payment.authorization, (await readHead(rpc)).seconds)
}

/** Signs a payment of 0.01 USDC to the agent, valid for an hour of the chain's time. */
async function sign(terms: Partial<Authorization> = {}): Promise<Signed> {
  const { seconds } = await readHead(rpc)
  const authorization = {
    from: PAYER.address.toLowerCase(),
    to: AGENT,
    value: '10000',
    validAfter: '0',
    validBefore: String(seconds + 3_600),
    nonce: freshNonce(),
    ...terms,
  }
  const signature = await privateKeySigner(crypto, PAYER.privateKey).signTypedData(
    authorizationTypedData(network, authorization),
  )
  return { authorization, signature }
}

async function settle(payment: Signed, sender?: string): Promise<ChainReceipt> {
  return await send(chain.usdc, transferCall(payment), sender)
}

async function settleTogether(payments: readonly Signed[]): Promise<ChainReceipt> {
  const calls = payments.map(payment => ({
    target: chain.usdc,
    allowFailure: true,
    callData: transferCall(payment),
  }))
  return await send(
    chain.multicall3,
    encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] }),
  )
}

function transferCall({ authorization, signature }: Signed): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return encodeFunctionData({
    abi: localUsdcAbi,
    functionName: 'transferWithAuthorization',
    args: [
      hex(from),
      hex(to),
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      hex(nonce),
      hex(signature),
    ],
  })
}

/** Sends a call from an account whose key anvil has, and returns its receipt, whether it succeeded or not. */
async function send(to: string, data: Hex, from: string = TEST_KEYS.relayer.address): Promise<ChainReceipt> {
  const receipt = parseReceipt(await sendTestTransaction(chain.rpcUrl, { from, to, data, gas: GAS }))
  if (receipt === undefined) throw new Error('anvil gave no receipt')
  return receipt
}

function freshNonce(): string {
  return `0x${randomBytes(32).toString('hex')}`
}

function hex(value: string): Hex {
  return `0x${value.slice(2)}`
}
