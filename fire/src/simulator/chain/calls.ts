import { BATCH_SETTLER_ADDRESS, MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import { countedWords, uintWord } from '@farebox/contracts/src/abi-words'
import type { CallResult, BatchedCall } from '@farebox/facilitator/src/chain/calldata'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { word } from '@farebox/payments/src/chain/rpc-words'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { encodeErrorResult, parseAbi, parseTransaction, serializeTransaction } from 'viem/utils'
import { readSpend, readWords, type TokenCall } from './token.ts'
import type { ChainTransaction } from './virtual-chain.ts'

export const MULTICALL3 = MULTICALL3_ADDRESS.toLowerCase()
export const SETTLER = BATCH_SETTLER_ADDRESS.toLowerCase()

/** `aggregate3((address,bool,bytes)[])`, Multicall3. */
const AGGREGATE3 = '0x82ad56cb'
/** `transferWithAuthorization(…, uint8 v, bytes32 r, bytes32 s)`, EIP-3009. */
const TRANSFER_WITH_AUTHORIZATION = '0xe3ee160e'
/** `cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)`, EIP-3009. */
const CANCEL_AUTHORIZATION = '0x5a049a70'
/** `settle(address,uint256,bytes)`, BatchSettler. */
const SETTLE = '0x1c8cbdc9'

const ERRORS = [...spendPermissionsAbi, ...parseAbi(['error Error(string)'])]

/** An item of BatchSettler without a code hash: bytes of its parts, in order. The second says whether it has one. */
const ITEM_BYTES = [20, 1, 20, 16, 6, 6, 32, 1, 32, 32] as const

/** The facilitator's programs that read code sizes (`code-sizes.ts`): their instructions, in characters. */
const PROGRAM_CHARACTERS = 62
const PROGRAM_WITH_CALL = { characters: 174, startsWith: '0x62', lengthOfWordsAt: 40 }

/**
 * The answer to a request for code sizes, a word for each account, and the call of Multicall3 behind it. No account has
 * code here.
 */
export function readCodeQuestion(data: string): {
  readonly words: string
  readonly behind: BatchedCall | undefined
} {
  const { characters, startsWith, lengthOfWordsAt } = PROGRAM_WITH_CALL
  if (!data.startsWith(startsWith))
    return { words: '0'.repeat(data.length - PROGRAM_CHARACTERS), behind: undefined }
  const length = 2 * Number(`0x${data.slice(lengthOfWordsAt, lengthOfWordsAt + 6)}`)
  const behind = { to: MULTICALL3, data: `0x${data.slice(characters + length)}` }
  return { words: '0'.repeat(length), behind }
}

/**
 * The calls within a Multicall3 batch; undefined for any other data. Decoded by hand, because a general ABI coder is
 * noticeably slower.
 */
export function readBatch({ to, data }: BatchedCall): readonly BatchedCall[] | undefined {
  if (to !== MULTICALL3 || !data.startsWith(AGGREGATE3)) return undefined
  const { address, uint } = readWords(data)
  const count = Number(uint(1))
  // In the layout of `encodeBatch`: behind their offsets, one after the other.
  let at = 2 + count
  return Array.from({ length: count }, () => {
    const digits = Number(uint(at + 3)) * 2
    const start = 10 + (at + 4) * 64
    const call = { to: address(at), data: `0x${data.slice(start, start + digits)}` }
    at += 4 + Math.ceil(digits / 64)
    return call
  })
}

/** The transfers within a call of BatchSettler; undefined for any other data. No account has code here. */
export function readSettle({ to, data }: BatchedCall): readonly BatchedCall[] | undefined {
  if (to !== SETTLER || !data.startsWith(SETTLE)) return undefined
  const { address, uint } = readWords(data)
  const items = data.slice(10 + 4 * 64, 10 + 4 * 64 + Number(uint(3)) * 2)
  const transfers: BatchedCall[] = []
  for (let at = 0; at < items.length;) {
    const [from, kind, ...rest] = ITEM_BYTES.map(bytes => {
      const part = items.slice(at, at + bytes * 2)
      if (part.length !== bytes * 2) throw new Error('the last item of a settlement is cut off')
      at += bytes * 2
      return part
    })
    if (kind !== '00') throw new Error(`an item of a settlement is of kind ${kind}`)
    const transfer = [from, ...rest].map(part => (part ?? '').padStart(64, '0')).join('')
    transfers.push({ to: address(0), data: TRANSFER_WITH_AUTHORIZATION + transfer })
  }
  return transfers
}

/** Which of its items BatchSettler paid. */
export function encodePaid(results: readonly CallResult[]): string {
  const paid = results.reduce((bits, { succeeded }, index) => bits | (BigInt(succeeded) << BigInt(index)), 0n)
  return `0x${uintWord(paid)}`
}

/** The results of a batch, as `aggregate3` returns them. */
export function encodeResults(results: readonly CallResult[]): string {
  const number = (value: number): string => value.toString(16).padStart(64, '0')
  const tails = results.map(
    ({ succeeded, data }) => `${number(Number(succeeded))}${number(64)}${countedWords(data.slice(2))}`,
  )
  let offset = results.length * 32
  const heads = tails.map(tail => {
    const head = number(offset)
    offset += tail.length / 2
    return head
  })
  return `0x${number(32)}${number(results.length)}${[...heads, ...tails].join('')}`
}

/** Revert data: of an error of SpendPermissions by its name, otherwise of `Error(string)`. */
export function encodeRevert(words: string): string {
  const isNamed = ERRORS.some(part => part.type === 'error' && part.name === words)
  return isNamed
    ? encodeErrorResult({ abi: ERRORS, errorName: words as 'RefUsed' })
    : encodeErrorResult({ abi: ERRORS, errorName: 'Error', args: [words] })
}

/** A call that changes the token; undefined for one that only reads. */
export function readTokenCall(data: string): TokenCall | undefined {
  const { address, bytes32, uint } = readWords(data)
  if (data.startsWith(CANCEL_AUTHORIZATION)) return { kind: 'cancel', from: address(0), nonce: bytes32(1) }
  if (!data.startsWith(TRANSFER_WITH_AUTHORIZATION)) return undefined
  return {
    kind: 'pay',
    authorization: {
      from: address(0),
      to: address(1),
      value: String(uint(2)),
      validAfter: String(uint(3)),
      validBefore: String(uint(4)),
      nonce: bytes32(5),
    },
    signature: `${bytes32(7)}${bytes32(8).slice(2)}${bytes32(6).slice(64)}`,
  }
}

/** Reads a signed transaction as a node does: the sender is recovered from its signature. */
export function readRawTransaction(crypto: EvmCrypto, raw: string): ChainTransaction {
  const { r, s, yParity, ...unsigned } = parseTransaction(`0x02${raw.slice(4)}`)
  const { to, data, nonce, maxFeePerGas } = unsigned
  if (typeof to !== 'string' || typeof data !== 'string' || r === undefined || s === undefined)
    throw new Error('a transaction that is not one of a relayer')
  const digest = crypto.keccak256(fromHex(serializeTransaction(unsigned)))
  const signature = fromHex(`0x${word(r)}${word(s)}${yParity === 1 ? '1c' : '1b'}`)
  const call = { to: to.toLowerCase(), data }
  const sender = crypto.recoverAddress(digest, signature) ?? 'nobody'
  const spend = readSpend(crypto, call, sender)
  const calls =
    spend === undefined
      ? (readBatch(call) ?? readSettle(call) ?? [call]).flatMap(one => readTokenCall(one.data) ?? [])
      : [spend]
  return {
    hash: toHex(crypto.keccak256(fromHex(raw))),
    sender,
    nonce: nonce ?? 0,
    calls,
    maxFeePerGas: maxFeePerGas ?? 0n,
  }
}
