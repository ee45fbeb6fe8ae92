import { LOCAL_USDC_ADDRESS, MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import {
  concatHex,
  createPublicClient,
  createWalletClient,
  domainSeparator,
  encodeFunctionData,
  http,
  parseEventLogs,
  parseSignature,
  serializeSignature,
  toHex,
} from 'viem'
import type { Abi, TransactionReceipt } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fund } from './faucet.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const payer = privateKeyToAccount(TEST_KEYS.payer.privateKey)
const relayer = privateKeyToAccount(TEST_KEYS.relayer.privateKey)
const agent = TEST_KEYS.agent.address
const token = { address: LOCAL_USDC_ADDRESS, abi: localUsdcAbi } as const
const domain = { name: 'USDC', version: '2', chainId: 84532, verifyingContract: LOCAL_USDC_ADDRESS } as const
const transferFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
const types = {
  TransferWithAuthorization: transferFields,
  ReceiveWithAuthorization: transferFields,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

let chain: LocalChain
let lastNonce = 0n

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, payer.address, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => await chain.stop())

describe('token metadata', () => {
  test('matches USDC on Base Sepolia: six decimals, domain "USDC" version "2"', async () => {
    const read = async (functionName: 'name' | 'symbol' | 'version' | 'decimals') =>
      await reader().readContract({ ...token, functionName })
    expect(await Promise.all([read('name'), read('symbol'), read('version'), read('decimals')])).toEqual([
      'USDC',
      'USDC',
      '2',
      6,
    ])
  })

  test('EIP-712 the domain separator equals the one that viem computes for this chain and address', async () => {
    expect(await reader().readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' })).toBe(
      domainSeparator({ domain }),
    )
  })

  test('EIP-712 another chain id has another domain separator', async () => {
    const other = await startChain({ chainId: 31337 })
    try {
      const client = createPublicClient({ transport: http(other.rpcUrl) })
      expect(await client.readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' })).toBe(
        domainSeparator({ domain: { ...domain, chainId: 31337 } }),
      )
    } finally {
      await other.stop()
    }
  })
})

describe('EIP-3009 transferWithAuthorization', () => {
  test('moves the value with a bytes signature and reports AuthorizationUsed and Transfer', async () => {
    const authorization = await authorize({ value: 250_000n })
    const before = await balanceOf(agent)
    const receipt = await relay('transferWithAuthorization', bytesForm(authorization))
    const logs = parseEventLogs({ abi: localUsdcAbi, logs: receipt.logs })
    expect(logs.map(log => [log.eventName, log.args])).toEqual([
      ['AuthorizationUsed', { authorizer: payer.address, nonce: authorization.nonce }],
      ['Transfer', { from: payer.address, to: agent, value: 250_000n }],
    ])
    expect(await balanceOf(agent)).toBe(before + 250_000n)
    expect(await isUsed(authorization.nonce)).toBe(true)
  })

  test('moves the value with a v, r, s signature', async () => {
    const before = await balanceOf(agent)
    await relay('transferWithAuthorization', splitForm(await authorize({ value: 1n })))
    expect(await balanceOf(agent)).toBe(before + 1n)
  })

  test('refuses the second use of an authorization in either form', async () => {
    const authorization = await authorize({})
    await relay('transferWithAuthorization', bytesForm(authorization))
    const used = 'FiatTokenV2: authorization is used or canceled'
    await expect(relay('transferWithAuthorization', bytesForm(authorization))).rejects.toThrow(used)
    await expect(relay('transferWithAuthorization', splitForm(authorization))).rejects.toThrow(used)
  })

  test('refuses the malleated form of a signature: high s', async () => {
    const authorization = await authorize({})
    const { r, s, yParity } = parseSignature(authorization.signature)
    const twin = { r, s: toHex(SECP256K1_ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity }
    const malleated = { ...authorization, signature: serializeSignature(twin) }
    const refused = 'FiatTokenV2: invalid signature'
    await expect(relay('transferWithAuthorization', bytesForm(malleated))).rejects.toThrow(refused)
    await expect(relay('transferWithAuthorization', splitForm(malleated))).rejects.toThrow(refused)
    await relay('transferWithAuthorization', bytesForm(authorization))
  })

  test('refuses a v of 0 or 1 and the 64-byte form of EIP-2098', async () => {
    const authorization = await authorize({})
    const { r, s, yParity } = parseSignature(authorization.signature)
    for (const signature of [concatHex([r, s, toHex(yParity, { size: 1 })]), concatHex([r, s])]) {
      const unusual = { ...authorization, signature }
      await expect(relay('transferWithAuthorization', bytesForm(unusual))).rejects.toThrow(
        'invalid signature',
      )
    }
  })

  test('refuses a signature over another value', async () => {
    const authorization = await authorize({ value: 1n })
    const other = { ...authorization, value: 2n }
    await expect(relay('transferWithAuthorization', bytesForm(other))).rejects.toThrow('invalid signature')
  })

  test('treats both time bounds as exclusive', async () => {
    const authorization = await authorize({ validAfter: 2_000_000_000n, validBefore: 2_000_000_060n })
    const callAt = async (timeSeconds: bigint) =>
      await reader().call({
        to: LOCAL_USDC_ADDRESS,
        data: encodeFunctionData({
          ...token,
          functionName: 'transferWithAuthorization',
          args: bytesForm(authorization),
        }),
        blockOverrides: { time: timeSeconds },
      })
    await expect(callAt(2_000_000_000n)).rejects.toThrow('FiatTokenV2: authorization is not yet valid')
    expect(await callAt(2_000_000_001n)).toEqual({ data: undefined })
    expect(await callAt(2_000_000_059n)).toEqual({ data: undefined })
    await expect(callAt(2_000_000_060n)).rejects.toThrow('FiatTokenV2: authorization is expired')
  })

  test('refuses more than the payer’s balance and leaves the authorization unused', async () => {
    const authorization = await authorize({ value: 10n ** 15n })
    await expect(relay('transferWithAuthorization', bytesForm(authorization))).rejects.toThrow(
      'ERC20: transfer amount exceeds balance',
    )
    expect(await isUsed(authorization.nonce)).toBe(false)
  })
})

describe('EIP-3009 receiveWithAuthorization', () => {
  test('moves the value only when the payee itself sends the transaction', async () => {
    const toStranger = await authorize({ primaryType: 'ReceiveWithAuthorization' })
    await expect(relay('receiveWithAuthorization', bytesForm(toStranger))).rejects.toThrow(
      'caller must be the payee',
    )
    const before = await balanceOf(relayer.address)
    const toRelayer = { primaryType: 'ReceiveWithAuthorization', to: relayer.address, value: 7n } as const
    await relay('receiveWithAuthorization', bytesForm(await authorize(toRelayer)))
    await relay('receiveWithAuthorization', splitForm(await authorize(toRelayer)))
    expect(await balanceOf(relayer.address)).toBe(before + 14n)
  })

  test('refuses a signature that was made for transferWithAuthorization', async () => {
    const authorization = await authorize({ to: TEST_KEYS.relayer.address })
    await expect(relay('receiveWithAuthorization', bytesForm(authorization))).rejects.toThrow(
      'invalid signature',
    )
  })
})

test('EIP-3009 a cancelled authorization cannot be used, although its state is reported as used', async () => {
  const authorization = await authorize({})
  const { nonce } = authorization
  const signature = await payer.signTypedData({
    domain,
    types,
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  })
  const { v, r, s } = splitSignature(signature)
  const receipt = await relay('cancelAuthorization', [payer.address, nonce, v, r, s])
  expect(parseEventLogs({ abi: localUsdcAbi, logs: receipt.logs }).map(log => log.eventName)).toEqual([
    'AuthorizationCanceled',
  ])
  expect(await isUsed(nonce)).toBe(true)
  await expect(relay('transferWithAuthorization', bytesForm(authorization))).rejects.toThrow(
    'used or canceled',
  )
})

describe('the administrative actions that make a settlement fail', () => {
  test('pausing the token makes every transfer revert, and the same authorization works afterwards', async () => {
    const authorization = await authorize({})
    await relay('pause', [])
    await expect(relay('transferWithAuthorization', bytesForm(authorization))).rejects.toThrow(
      'Pausable: paused',
    )
    await relay('unpause', [])
    expect((await relay('transferWithAuthorization', bytesForm(authorization))).status).toBe('success')
  })

  test('blacklisting the payer or the payee makes the transfer revert', async () => {
    const authorization = await authorize({})
    for (const account of [payer.address, agent]) {
      await relay('blacklist', [account])
      await expect(relay('transferWithAuthorization', bytesForm(authorization))).rejects.toThrow(
        'blacklisted',
      )
      await relay('unBlacklist', [account])
    }
    expect((await relay('transferWithAuthorization', bytesForm(authorization))).status).toBe('success')
  })
})

describe('Multicall3', () => {
  const multicall = { address: MULTICALL3_ADDRESS, abi: multicall3Abi } as const

  test('aggregate3 settles the valid payment and reports the invalid one', async () => {
    const good = await authorize({ value: 3n })
    const bad = await authorize({ value: 10n ** 15n })
    const before = await balanceOf(agent)
    const calls = [good, bad].map(authorization => ({
      target: token.address,
      allowFailure: true,
      callData: encodeFunctionData({
        ...token,
        functionName: 'transferWithAuthorization',
        args: bytesForm(authorization),
      }),
    }))
    const batch = { ...multicall, functionName: 'aggregate3', args: [calls] } as const
    expect((await reader().simulateContract(batch)).result.map(one => one.success)).toEqual([true, false])
    await send(MULTICALL3_ADDRESS, encodeFunctionData(batch))
    expect(await balanceOf(agent)).toBe(before + 3n)
  })

  test('aggregate3 and tryAggregate revert as a whole when a call that must not fail does', async () => {
    const call = { target: LOCAL_USDC_ADDRESS, callData: '0xdeadbeef' } as const
    const calls = [{ ...call, allowFailure: false }] as const
    await expect(
      reader().simulateContract({ ...multicall, functionName: 'aggregate3', args: [calls] }),
    ).rejects.toThrow('Multicall3: call failed')
    await expect(
      reader().simulateContract({ ...multicall, functionName: 'tryAggregate', args: [true, [call]] }),
    ).rejects.toThrow('Multicall3: call failed')
    const tolerant = { ...multicall, functionName: 'tryAggregate', args: [false, [call]] } as const
    expect((await reader().simulateContract(tolerant)).result.map(one => one.success)).toEqual([false])
  })

  test('serves viem’s own batched reads', async () => {
    const balances = await reader().multicall({
      multicallAddress: MULTICALL3_ADDRESS,
      allowFailure: false,
      contracts: [
        { ...token, functionName: 'decimals' },
        { ...multicall, functionName: 'getChainId' },
        { ...multicall, functionName: 'getEthBalance', args: [TEST_KEYS.stranger.address] },
      ],
    })
    expect(balances).toEqual([6, 84532n, 10_000n * 10n ** 18n])
  })
})

type Authorization = Awaited<ReturnType<typeof authorize>>

interface Terms {
  primaryType?: 'TransferWithAuthorization' | 'ReceiveWithAuthorization'
  to?: `0x${string}`
  value?: bigint
  validAfter?: bigint
  validBefore?: bigint
}

async function authorize(terms: Terms) {
  lastNonce += 1n
  const message = {
    from: payer.address,
    to: terms.to ?? agent,
    value: terms.value ?? 1n,
    validAfter: terms.validAfter ?? 0n,
    validBefore: terms.validBefore ?? 2n ** 47n - 1n,
    nonce: toHex(lastNonce, { size: 32 }),
  }
  const primaryType = terms.primaryType ?? 'TransferWithAuthorization'
  return { ...message, signature: await payer.signTypedData({ domain, types, primaryType, message }) }
}

function bytesForm(authorization: Authorization) {
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  return [from, to, value, validAfter, validBefore, nonce, signature] as const
}

function splitForm(authorization: Authorization) {
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  const { v, r, s } = splitSignature(signature)
  return [from, to, value, validAfter, validBefore, nonce, v, r, s] as const
}

function splitSignature(signature: `0x${string}`) {
  const { r, s, yParity } = parseSignature(signature)
  return { v: 27 + yParity, r, s }
}

function reader() {
  return createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 50 })
}

async function balanceOf(account: `0x${string}`): Promise<bigint> {
  return await reader().readContract({ ...token, functionName: 'balanceOf', args: [account] })
}

async function isUsed(nonce: `0x${string}`): Promise<boolean> {
  const args = [payer.address, nonce] as const
  return await reader().readContract({ ...token, functionName: 'authorizationState', args })
}

/** Makes the relayer send a call to the token; rejects with the token's reason when it would revert. */
async function relay(functionName: string, args: readonly unknown[]): Promise<TransactionReceipt> {
  const abi: Abi = localUsdcAbi
  return await send(LOCAL_USDC_ADDRESS, encodeFunctionData({ abi, functionName, args }))
}

async function send(to: `0x${string}`, data: `0x${string}`): Promise<TransactionReceipt> {
  const wallet = createWalletClient({ account: relayer, transport: http(chain.rpcUrl) })
  return await wallet.sendTransactionSync({ chain: null, to, data })
}
