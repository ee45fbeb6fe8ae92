import { BATCH_SETTLER_ADDRESS, LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
import { batchSettlerAbi } from '@farebox/contracts/batch-settler'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import * as fc from 'fast-check'
import {
  encodeFunctionData,
  formatTransactionReceipt,
  keccak256,
  parseEventLogs,
  parseSignature,
  toHex,
  zeroHash,
} from 'viem'
import type { Hex, RpcTransactionReceipt, TransactionReceipt } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reader } from '../testing/registry-calls.ts'
import { packItems, type SettlerItem } from '../testing/settler-items.ts'
import { callAnvil } from './anvil-rpc.ts'
import { fund } from './faucet.ts'
import { sendTestTransaction } from './send-transaction.ts'
import { startChain } from './start-chain.ts'
import type { LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

// Batches of valid and invalid authorizations, from accounts with and without code. After each batch the state of the chain
// must equal that of the model below: whether an item is paid does not depend on the other items. The decoding of items is
// tested in batch-settler.items.test.ts.

const RUNS = 60
const GAS_EACH = 100_000n
const PAY_TO = TEST_KEYS.agent.address
const BALANCE_ATOMIC = 1_000n
const DOMAIN = { name: 'USDC', version: '2', chainId: 84532, verifyingContract: LOCAL_USDC_ADDRESS } as const
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** Code of a payer's account, as an EIP-7702 delegation would set it. */
const CODES = {
  none: '0x',
  /** Accepts every signature: `isValidSignature` returns its own selector for every call. */
  agrees: '0x631626ba7e60e01b5f5260205ff3',
  /** `JUMPDEST PUSH0 JUMP`: burns all its gas. */
  burns: '0x5b5f56',
  reverts: '0x5f5ffd',
} as const
type Code = keyof typeof CODES

interface Payer {
  readonly account: PrivateKeyAccount
  readonly code: Code
}

/** An item as it is generated; `payer` is reduced to the existing range. */
interface Drawn {
  readonly payer: number
  readonly value: bigint
  readonly time: 'now' | 'over' | 'not yet'
  readonly signature: 'right' | 'of another amount' | 'of nobody'
  readonly nonce: 'new' | 'of the item before'
  readonly expects: 'its code' | 'no code' | 'other code'
}

const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))

const drawn: fc.Arbitrary<Drawn> = fc.record({
  payer: fc.nat(7),
  value: fc.constantFrom(0n, 1n, 300n, 600n, BALANCE_ATOMIC, BALANCE_ATOMIC + 1n),
  time: often('now', 'over', 'not yet'),
  signature: often('right', 'of another amount', 'of nobody'),
  nonce: often('new', 'of the item before'),
  expects: often('its code', 'no code', 'other code'),
})

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(async () => await chain.stop())

/** Creates five accounts without code, and one of each kind with code. */
async function createPayers(): Promise<readonly Payer[]> {
  const codes: readonly Code[] = ['none', 'none', 'none', 'none', 'none', 'agrees', 'burns', 'reverts']
  return await Promise.all(
    codes.map(async code => {
      const account = privateKeyToAccount(generatePrivateKey())
      await fund(chain, account.address, { usdcAtomic: BALANCE_ATOMIC })
      if (code !== 'none') await callAnvil(chain.rpcUrl, 'anvil_setCode', [account.address, CODES[code]])
      return { account, code }
    }),
  )
}

/** Returns the items as the contract accepts them, and which of them must be paid. */
async function plan(payers: readonly Payer[], batch: readonly Drawn[]) {
  const now = BigInt(Math.floor(Date.now() / 1_000))
  const balances = new Map(payers.map(({ account }) => [account.address, BALANCE_ATOMIC]))
  const used = new Set<string>()
  const items: SettlerItem[] = []
  const paid: boolean[] = []
  let nonce: Hex = zeroHash
  for (const one of batch) {
    const payer = payers[one.payer % payers.length]
    if (payer === undefined) throw new Error('there are payers')
    const { account, code } = payer
    if (one.nonce === 'new') nonce = keccak256(toHex(`${items.length} ${generatePrivateKey()}`))
    const message = {
      from: account.address,
      to: PAY_TO,
      value: one.value,
      validAfter: one.time === 'not yet' ? now + 1_000n : 0n,
      validBefore: one.time === 'over' ? now - 1_000n : now + 1_000n,
      nonce,
    }
    const signed = one.signature === 'of another amount' ? { ...message, value: one.value + 1n } : message
    const signature = parseSignature(
      await account.signTypedData({
        domain: DOMAIN,
        types: TYPES,
        primaryType: 'TransferWithAuthorization',
        message: signed,
      }),
    )
    const hash = code === 'none' ? zeroHash : keccak256(CODES[code])
    const codeHash = { 'its code': hash, 'no code': zeroHash, 'other code': keccak256('0x01') }[one.expects]
    items.push({
      ...message,
      v: Number(signature.v ?? 27n),
      r: signature.r,
      s: one.signature === 'of nobody' ? zeroHash : signature.s,
      codeHash,
    })
    const isGood = code === 'agrees' || (code === 'none' && one.signature === 'right')
    const balance = balances.get(account.address) ?? 0n
    const key = `${account.address} ${nonce}`
    const isPaid = codeHash === hash && one.time === 'now' && isGood && !used.has(key) && balance >= one.value
    paid.push(isPaid)
    if (!isPaid) continue
    used.add(key)
    balances.set(account.address, balance - one.value)
  }
  return { items, paid, balances }
}

type Planned = Awaited<ReturnType<typeof plan>>

function encode({ items }: Planned): Hex {
  return encodeFunctionData({
    abi: batchSettlerAbi,
    functionName: 'settle',
    args: [LOCAL_USDC_ADDRESS, GAS_EACH, packItems(items)],
  })
}

/** Sends the batch with this gas; a revert is not an error. */
async function send(planned: Planned, gas: bigint): Promise<TransactionReceipt> {
  const receipt = await sendTestTransaction(chain.rpcUrl, {
    from: TEST_KEYS.relayer.address,
    to: BATCH_SETTLER_ADDRESS,
    data: encode(planned),
    gas: toHex(gas),
  })
  return formatTransactionReceipt(receipt as RpcTransactionReceipt)
}

async function balanceOf(address: Hex): Promise<bigint> {
  return await reader(chain).readContract({
    address: LOCAL_USDC_ADDRESS,
    abi: localUsdcAbi,
    functionName: 'balanceOf',
    args: [address],
  })
}

/** Returns the nonces of the transfers in a receipt, in order. */
function transfers({ logs }: TransactionReceipt): readonly unknown[] {
  return parseEventLogs({ abi: localUsdcAbi, eventName: 'AuthorizationUsed', logs }).map(
    ({ args }) => args.nonce,
  )
}

const PLENTY = 10_000_000n

test('an item is paid if and only if it is valid, whatever the other items are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 12 }), async batch => {
      const payers = await createPayers()
      const planned = await plan(payers, batch)
      const { result } = await reader(chain).simulateContract({
        address: BATCH_SETTLER_ADDRESS,
        abi: batchSettlerAbi,
        functionName: 'settle',
        args: [LOCAL_USDC_ADDRESS, GAS_EACH, packItems(planned.items)],
        gas: PLENTY,
      })
      expect(planned.items.map((_, index) => ((result >> BigInt(index)) & 1n) === 1n)).toEqual(planned.paid)
      const receipt = await send(planned, PLENTY)
      expect(receipt.status).toBe('success')
      const nonces = planned.items.filter((_, index) => planned.paid[index]).map(({ nonce }) => nonce)
      expect(transfers(receipt)).toEqual(nonces)
      for (const { account } of payers)
        expect(await balanceOf(account.address)).toBe(planned.balances.get(account.address))
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})

test('too little gas pays nothing; no item fails because earlier items used the gas', async () => {
  let [paid, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 2, maxLength: 8 }),
      // More than the cost of the bytes alone: with less, no block would include the transaction.
      fc.bigInt(150_000n, 900_000n),
      async (batch, gas) => {
        const payers = await createPayers()
        const planned = await plan(payers, batch)
        const receipt = await send(planned, gas)
        const nonces = planned.items.filter((_, index) => planned.paid[index]).map(({ nonce }) => nonce)
        if (receipt.status === 'success') paid += 1
        else refused += 1
        expect(transfers(receipt)).toEqual(receipt.status === 'success' ? nonces : [])
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  )
  // Both outcomes occurred.
  expect(Math.min(paid, refused)).toBeGreaterThan(3)
})

test('an item costs at most its own gas, whatever the code of its payer does', async () => {
  const payers = await createPayers()
  const good = { value: 1n, time: 'now', signature: 'right', nonce: 'new', expects: 'its code' } as const
  const gasOf = async (batch: readonly Drawn[]): Promise<bigint> => {
    const { gasUsed, status } = await send(await plan(payers, batch), PLENTY)
    expect(status).toBe('success')
    return gasUsed
  }
  const alone = await gasOf([{ ...good, payer: 0 }])
  const beside = await gasOf([
    { ...good, payer: 6 },
    { ...good, payer: 0 },
    { ...good, payer: 6 },
  ])
  // The calldata and the checks around each call are additional costs.
  expect(beside - alone).toBeLessThan(2n * (GAS_EACH + 15_000n))
})

test('the largest value and the latest time that an item can hold are paid, with v 27 and with v 28', async () => {
  const [value, validBefore] = [2n ** 128n - 1n, 2n ** 48n - 1n]
  const seen = new Set<number>()
  while (seen.size < 2) {
    const account = privateKeyToAccount(generatePrivateKey())
    const message = { from: account.address, to: account.address, value, validAfter: 0n, validBefore }
    const signed = { ...message, nonce: keccak256(account.address) }
    const signature = await account.signTypedData({
      domain: DOMAIN,
      types: TYPES,
      primaryType: 'TransferWithAuthorization',
      message: signed,
    })
    const { r, s, yParity } = parseSignature(signature)
    const v = 27 + yParity
    if (seen.has(v)) continue
    seen.add(v)
    await fund(chain, account.address, { usdcAtomic: value })
    const items = [{ ...signed, v, r, s, codeHash: zeroHash }]
    expect(transfers(await send({ items, paid: [true], balances: new Map() }, PLENTY))).toEqual([
      signed.nonce,
    ])
  }
})
