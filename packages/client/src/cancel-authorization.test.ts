import { beforeAll, expect, test } from 'vitest'
import { decodeFunctionData, parseAbi, recoverTypedDataAddress, serializeSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { signPayment } from '@farebox/payments/x402/sign-payment'
import {
  cancelAuthorization,
  cancelTypedData,
  privateKeyCancelSigner,
  type CancelSigner,
} from './cancel-authorization.ts'
import type { JournalEntry } from './attempt/journal-entry.ts'

const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const STRANGER_KEY = '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97'
const JOB_ID = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'
const ABI = parseAbi([
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

const account = privateKeyToAccount(KEY)
const found = findNetwork('eip155:8453')
if (found === undefined) throw new Error('Base is in the table')
const network = found

let crypto: EvmCrypto
let entry: JournalEntry
let nonce: `0x${string}`

beforeAll(async () => {
  crypto = await loadEvmCrypto()
  const payTo = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
  const { header } = await signPayment(crypto, account, {
    network,
    requirement: createRequirement({ network, payTo, amountAtomic: 1n, maxDeadlineSeconds: 20 }),
    binding: { endpoint: 'https://agent.example/execute', capability: 'count', jobId: JOB_ID },
    nowSeconds: 1_800_000_000,
  })
  const task = { capability: 'count', input: {} }
  const body = JSON.stringify({ service_version: '1.0', job_id: JOB_ID, task, deadline: 1_800_000_020 })
  entry = { agentUrl: 'https://agent.example', jobId: JOB_ID, capability: 'count', body, header }
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw new Error(decoded.reason)
  nonce = `0x${decoded.payment.authorization.nonce.slice(2)}`
})

test('EIP-3009 the call revokes this payer’s nonce, with the payer’s signature', async () => {
  const call = await cancelAuthorization(entry, account)
  expect(call).toMatchObject({ network: 'eip155:8453', to: network.asset.address })
  const { args } = decodeFunctionData({ abi: ABI, data: call.data as `0x${string}` })
  const [authorizer, cancelled, v, r, s] = args
  expect([authorizer, cancelled]).toEqual([account.address, nonce])
  const signer = await recoverTypedDataAddress({
    ...cancelTypedData(network, account.address, nonce),
    signature: serializeSignature({ r, s, v: BigInt(v) }),
  })
  expect(signer).toBe(account.address)
  expect([27, 28]).toContain(v)
})

test('a key signs the same bytes as viem', async () => {
  const byKey = await cancelAuthorization(entry, privateKeyCancelSigner(crypto, KEY))
  expect(byKey).toEqual(await cancelAuthorization(entry, account))
})

test('the signature of a wallet that counts v from 0 is accepted', async () => {
  const counting: CancelSigner = {
    address: account.address,
    async signTypedData(typedData) {
      const signature = await account.signTypedData(typedData)
      return signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01')
    },
  }
  expect(await cancelAuthorization(entry, counting)).toEqual(await cancelAuthorization(entry, account))
})

test('only the payer can revoke a payment', async () => {
  await expect(cancelAuthorization(entry, privateKeyToAccount(STRANGER_KEY))).rejects.toThrow(TypeError)
})

test('a signature of another length is refused', async () => {
  const mute: CancelSigner = { address: account.address, signTypedData: () => Promise.resolve('0x') }
  await expect(cancelAuthorization(entry, mute)).rejects.toThrow('65 bytes')
})
