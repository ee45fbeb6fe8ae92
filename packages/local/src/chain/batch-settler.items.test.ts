import { BATCH_SETTLER_ADDRESS } from '@farebox/contracts/addresses'
import { batchSettlerAbi } from '@farebox/contracts/batch-settler'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import * as fc from 'fast-check'
import {
  BaseError,
  concat,
  ContractFunctionRevertedError,
  encodeFunctionData,
  keccak256,
  size,
  slice,
} from 'viem'
import { toHex, zeroAddress, zeroHash } from 'viem'
import type { Address, Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reader } from '../testing/registry-calls.ts'
import { packItems, type SettlerItem } from '../testing/settler-items.ts'
import { callAnvil } from './anvil-rpc.ts'
import { sendTestTransaction } from './send-transaction.ts'
import { startChain, type LocalChain } from './start-chain.ts'
import { TEST_KEYS } from './test-keys.ts'

// Tests how BatchSettler reads its items and distributes its gas, with tokens that report their calls. The settlement of
// real authorizations is tested in batch-settler.test.ts.

const PLENTY = 15_000_000n
const GAS_EACH = 50_000n

/** Tokens with a few bytes of code, each at its own address. */
const TOKENS = {
  /** Logs its calldata: `CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY CALLDATASIZE PUSH0 LOG0`. */
  tells: '0x365f5f37365fa0',
  /** Burns all its gas: `JUMPDEST PUSH0 JUMP`. */
  burns: '0x5b5f56',
  /**
   * Takes a call that was given GAS_EACH, and burns all of it but 1,024; reverts one that was given less:
   * `PUSH4 GAS_EACH-5 GAS LT PUSH1 14 JUMPI  JUMPDEST GAS PUSH2 400 LT PUSH1 0a JUMPI STOP  JUMPDEST PUSH0 PUSH0 REVERT`.
   */
  minds: `0x63${toHex(GAS_EACH - 5n, { size: 4 }).slice(2)}5a106014575b5a61040010600a57005b5f5ffd`,
  /** Returns 100,000 bytes: `PUSH3 0186a0 PUSH0 RETURN`. */
  talks: '0x620186a05ff3',
} as const
type Token = keyof typeof TOKENS

/** Code of payers, as an EIP-7702 delegation would set it. */
const CODES = ['0x00', '0x5f5ffd'] as const

const [WITH_CODE, WITH_OTHER_CODE] = [`0x${'c0'.repeat(20)}`, `0x${'c1'.repeat(20)}`] as const
const tokenAt = (token: Token): Address =>
  `0x${(0xf0 + Object.keys(TOKENS).indexOf(token)).toString(16).repeat(20)}`

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
  for (const [token, code] of Object.entries(TOKENS))
    await callAnvil(chain.rpcUrl, 'anvil_setCode', [tokenAt(token as Token), code])
  await callAnvil(chain.rpcUrl, 'anvil_setCode', [WITH_CODE, CODES[0]])
  await callAnvil(chain.rpcUrl, 'anvil_setCode', [WITH_OTHER_CODE, CODES[1]])
})
afterAll(async () => await chain.stop())

const hex = (bytes: number): fc.Arbitrary<Hex> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map(array => `0x${Buffer.from(array).toString('hex')}` as const)
/** Generates values that are often at the bounds of the type. */
const uint = (bits: number): fc.Arbitrary<bigint> => fc.bigInt(0n, 2n ** BigInt(bits) - 1n)

const drawn: fc.Arbitrary<SettlerItem> = fc.record({
  from: fc.oneof({ weight: 2, arbitrary: hex(20) }, fc.constantFrom(WITH_CODE, WITH_OTHER_CODE)),
  to: hex(20),
  value: uint(128),
  validAfter: uint(48),
  validBefore: uint(48),
  nonce: hex(32),
  v: fc.oneof(fc.constantFrom(27, 28), fc.nat(255)),
  r: hex(32),
  s: hex(32),
  codeHash: fc.oneof(
    { weight: 2, arbitrary: fc.constant<Hex>(zeroHash) },
    fc.constantFrom(keccak256(CODES[0]), keccak256(CODES[1])),
    hex(32),
  ),
})

/** The expected call of the token; `undefined` when the settler skips the item. */
function callOf({ codeHash, ...item }: SettlerItem): Hex | undefined {
  const { from, to, value, validAfter, validBefore, nonce, v, r, s } = item
  const index = [WITH_CODE, WITH_OTHER_CODE].findIndex(account => account === from)
  const code = CODES[index]
  if (codeHash !== (code === undefined ? zeroHash : keccak256(code))) return undefined
  return encodeFunctionData({
    abi: localUsdcAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, v, r, s],
  })
}

function settleCall(token: Token, items: Hex) {
  return {
    address: BATCH_SETTLER_ADDRESS,
    abi: batchSettlerAbi,
    functionName: 'settle',
    args: [tokenAt(token), GAS_EACH, items],
  } as const
}

/** Returns which of the items were paid, or how the call was reverted. */
async function trySettle(token: Token, items: Hex, count: number, gas = PLENTY): Promise<unknown> {
  try {
    const { result } = await reader(chain).simulateContract({ ...settleCall(token, items), gas })
    expect(result >> BigInt(count)).toBe(0n)
    return Array.from({ length: count }, (_, index) => ((result >> BigInt(index)) & 1n) === 1n)
  } catch (error) {
    const reverted =
      error instanceof BaseError ? error.walk(cause => cause instanceof ContractFunctionRevertedError) : error
    if (!(reverted instanceof ContractFunctionRevertedError)) throw error
    return [reverted.data?.errorName, ...(reverted.data?.args ?? [])]
  }
}

/** An item for which the settler calls the token. */
function ordinary(nonce: number): SettlerItem {
  const [from, word] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(32)}`] as const
  const transfer = { from, to: from, value: 1n, validAfter: 0n, validBefore: 2n, v: 27, r: word, s: word }
  return { ...transfer, nonce: toHex(nonce, { size: 32 }), codeHash: zeroHash }
}

function several(count: number): readonly SettlerItem[] {
  return Array.from({ length: count }, (_, index) => ordinary(index))
}

test('the token is called with exactly viem’s encoding of each item, and not at all for skipped items', async () => {
  let [called, passedOver] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { maxLength: 20 }), async items => {
      const packed = packItems(items)
      const calls = items.map(callOf)
      const { status, logs } = (await sendTestTransaction(chain.rpcUrl, {
        from: TEST_KEYS.relayer.address,
        to: BATCH_SETTLER_ADDRESS,
        data: encodeFunctionData(settleCall('tells', packed)),
        gas: toHex(PLENTY),
      })) as { readonly status: string; readonly logs: readonly { readonly data: string }[] }
      expect(status).toBe('0x1')
      expect(logs.map(({ data }) => data)).toEqual(calls.filter(call => call !== undefined))
      expect(await trySettle('tells', packed, items.length)).toEqual(calls.map(call => call !== undefined))
      called += logs.length
      passedOver += items.length - logs.length
    }),
    { numRuns: 100, endOnFailure: true },
  )
  // Both kinds occurred.
  expect(Math.min(called, passedOver)).toBeGreaterThan(100)
})

test('truncated items are refused as a whole, wherever they are cut', async () => {
  const items = [ordinary(0), { ...ordinary(1), from: WITH_CODE, codeHash: keccak256(CODES[0]) }, ordinary(2)]
  const packed = packItems(items)
  const whole = new Map([
    [0, 0],
    [166, 1],
    [364, 2],
    [530, 3],
  ])
  expect(size(packed)).toBe(530)
  for (let length = 0; length <= 530; length += 1) {
    const count = whole.get(length)
    const cut = length === 0 ? '0x' : slice(packed, 0, length)
    expect(await trySettle('tells', cut, count ?? 0), `cut to ${length} bytes`).toEqual(
      count === undefined ? ['MalformedItems'] : Array.from({ length: count }, () => true),
    )
  }
  expect(await trySettle('tells', concat([packed, '0x00']), 3)).toEqual(['MalformedItems'])
})

test('calldata after the items is ignored', async () => {
  const packed = packItems([ordinary(0)])
  const encoded = encodeFunctionData(settleCall('tells', packed))
  // The unchanged bytes of the item, with a length that is one less.
  const head = size('0x1c8cbdc9') + 3 * 32
  const data = concat([slice(encoded, 0, head), toHex(165, { size: 32 }), packed, packed])
  const call = reader(chain).call({ to: BATCH_SETTLER_ADDRESS, data, gas: PLENTY })
  await expect(call).rejects.toThrow('2eef74f0')
})

test.each([2, 3, 128, 255])('an item of kind %i makes the whole batch revert', async kind => {
  const [first, second] = [packItems([ordinary(0)]), packItems([ordinary(1)])]
  const other = concat([slice(second, 0, 20), toHex(kind, { size: 1 }), slice(second, 21)])
  expect(await trySettle('tells', concat([first, other]), 2)).toEqual(['MalformedItems'])
})

test('256 items are accepted, each with its own result bit, and 257 are refused', async () => {
  const [most, more] = [packItems(several(256)), packItems(several(257))]
  expect(await trySettle('tells', most, 256)).toEqual(several(256).map(() => true))
  expect(await trySettle('tells', more, 256)).toEqual(['TooManyItems', 257n])
})

test('an item whose transfer burns all its gas, or returns many bytes, does not reduce the gas of the others', async () => {
  const count = 20
  expect(await trySettle('burns', packItems(several(count)), count)).toEqual(several(count).map(() => false))
  expect(await trySettle('talks', packItems(several(count)), count)).toEqual(several(count).map(() => true))
  // Each item also costs 166 bytes of calldata and the access to a new account.
  const gas = 100_000n + BigInt(count) * (GAS_EACH + 166n * 16n + 2_600n + 500n)
  expect(await trySettle('burns', packItems(several(count)), count, gas)).toEqual(
    several(count).map(() => false),
  )
})

test.each([1, 2, 5])('each of %i items gets its full gas, or nothing is paid', async count => {
  const packed = packItems(several(count))
  const settleWith = async (gas: bigint): Promise<unknown> => await trySettle('minds', packed, count, gas)
  const all = several(count).map(() => true)
  let [tooLittle, enough] = [80_000n, PLENTY]
  expect(await settleWith(tooLittle)).toEqual(['NotEnoughGas', expect.any(BigInt)])
  expect(await settleWith(enough)).toEqual(all)
  while (enough - tooLittle > 1n) {
    const gas = (tooLittle + enough) / 2n
    const outcome = await settleWith(gas)
    if (Array.isArray(outcome) && outcome.every(isPaid => isPaid === true)) enough = gas
    else tooLittle = gas
  }
  // One unit of gas decides: without it, the gas does not suffice for the last item.
  expect(await settleWith(tooLittle)).toEqual(['NotEnoughGas', BigInt(count - 1)])
  expect(await settleWith(enough)).toEqual(all)
})

test('an overflowing gas limit is refused instead of being read as a small one', async () => {
  const call = settleCall('tells', packItems([ordinary(0)]))
  const attempt = reader(chain).simulateContract({
    ...call,
    args: [tokenAt('tells'), 2n ** 256n - 1n, call.args[2]],
  })
  await expect(attempt).rejects.toThrow(/overflow/)
  const large = reader(chain).simulateContract({
    ...call,
    args: [tokenAt('tells'), 2n ** 255n, call.args[2]],
  })
  await expect(large).rejects.toThrow(/NotEnoughGas/)
})

test('an empty batch pays nothing and calls no contract', async () => {
  expect(await trySettle('burns', '0x', 0)).toEqual([])
  expect(await reader(chain).getBalance({ address: BATCH_SETTLER_ADDRESS })).toBe(0n)
  await expect(
    callAnvil(chain.rpcUrl, 'eth_call', [
      {
        from: zeroAddress,
        to: BATCH_SETTLER_ADDRESS,
        data: encodeFunctionData(settleCall('tells', '0x')),
        value: '0x1',
      },
      'latest',
    ]),
  ).rejects.toThrow()
})
