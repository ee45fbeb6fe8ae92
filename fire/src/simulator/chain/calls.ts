import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import { word } from '@farebox/payments/src/chain/rpc-words'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { parseTransaction, serializeTransaction } from 'viem/utils'
import { readSpend } from './spends.ts'
import type { ChainTransaction } from './virtual-chain.ts'
import { BATCH_SETTLER_ADDRESS, MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { countedWords, textDigits, uintWord } from '@farebox/contracts/src/abi-words'
import type { ContractCall } from '@farebox/facilitator/src/chain/calldata'
import type { TokenCall } from './token.ts'

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

const WORD = 64
/** Of an item of BatchSettler without the hash of a code: bytes of its parts, in order. The second says whether it has one. */
const ITEM_BYTES = [20, 1, 20, 16, 6, 6, 32, 1, 32, 32] as const

/** Of the facilitator's programs that ask for code sizes (`code-sizes.ts`): their instructions, in characters. */
const PROGRAM_CHARACTERS = 62
const PROGRAM_WITH_CALL = { characters: 174, startsWith: '0x62', lengthOfWordsAt: 40 }

/** The answer to a question for code sizes, a word for each account, and the call of Multicall3 behind it. Nobody has code here. */
export function readCodeQuestion(data: string): {
  readonly words: string
  readonly behind: ContractCall | undefined
} {
  const { characters, startsWith, lengthOfWordsAt } = PROGRAM_WITH_CALL
  if (!data.startsWith(startsWith))
    return { words: '0'.repeat(data.length - PROGRAM_CHARACTERS), behind: undefined }
  const length = 2 * Number(`0x${data.slice(lengthOfWordsAt, lengthOfWordsAt + 6)}`)
  const behind = { to: MULTICALL3, data: `0x${data.slice(characters + length)}` }
  return { words: '0'.repeat(length), behind }
}

/** The calls within a Multicall3 batch; undefined for any other data. */
export function readBatch({ to, data }: ContractCall): readonly ContractCall[] | undefined {
  if (to !== MULTICALL3 || !data.startsWith(AGGREGATE3)) return undefined
  const words = data.slice(10)
  const numberAt = (atByte: number): number => Number.parseInt(words.slice(atByte * 2, atByte * 2 + WORD), 16)
  const list = numberAt(0) + 32
  return Array.from({ length: numberAt(list - 32) }, (_, index) => {
    const item = list + numberAt(list + index * 32)
    const bytes = item + numberAt(item + 64)
    const start = (bytes + 32) * 2
    return {
      to: `0x${words.slice(item * 2 + 24, item * 2 + WORD)}`,
      data: `0x${words.slice(start, start + numberAt(bytes) * 2)}`,
    }
  })
}

/** The transfers within a call of BatchSettler; undefined for any other data. Nobody has code here. */
export function readSettle({ to, data }: ContractCall): readonly ContractCall[] | undefined {
  if (to !== SETTLER || !data.startsWith(SETTLE)) return undefined
  const words = data.slice(10)
  const token = `0x${words.slice(24, WORD)}`
  const items = words.slice(4 * WORD, 4 * WORD + Number.parseInt(words.slice(3 * WORD, 4 * WORD), 16) * 2)
  const transfers: ContractCall[] = []
  for (let at = 0; at < items.length;) {
    const [from, kind, ...rest] = ITEM_BYTES.map(bytes => {
      const part = items.slice(at, at + bytes * 2)
      if (part.length !== bytes * 2) throw new Error('the last item of a settlement is cut off')
      at += bytes * 2
      return part
    })
    if (kind !== '00') throw new Error(`an item of a settlement is of kind ${kind}`)
    const transfer = [from, ...rest].map(part => (part ?? '').padStart(WORD, '0')).join('')
    transfers.push({ to: token, data: TRANSFER_WITH_AUTHORIZATION + transfer })
  }
  return transfers
}

/** Which of its items BatchSettler paid. */
export function encodePaid(results: readonly { readonly succeeded: boolean }[]): string {
  const paid = results.reduce((bits, { succeeded }, index) => bits | (BigInt(succeeded) << BigInt(index)), 0n)
  return `0x${uintWord(paid)}`
}

/** What a batch came to, as `aggregate3` returns it. */
export function encodeResults(
  results: readonly { readonly succeeded: boolean; readonly data: string }[],
): string {
  const tails = results.map(
    ({ succeeded, data }) =>
      `${numberWord(Number(succeeded))}${numberWord(64)}${countedWords(data.slice(2))}`,
  )
  let offset = results.length * 32
  const heads = tails.map(tail => {
    const head = numberWord(offset)
    offset += tail.length / 2
    return head
  })
  return `0x${numberWord(32)}${numberWord(results.length)}${heads.join('')}${tails.join('')}`
}

/** Revert data of `Error(string)`. */
export function encodeRevert(words: string): string {
  return `0x08c379a0${numberWord(32)}${countedWords(textDigits(words))}`
}

/** A call that changes the token; undefined for one that only asks. */
export function readTokenCall(data: string): TokenCall | undefined {
  const at = (index: number): string => data.slice(10 + index * WORD, 10 + (index + 1) * WORD)
  const address = (index: number): string => `0x${at(index).slice(24)}`
  const decimal = (index: number): string => BigInt(`0x${at(index)}`).toString()
  if (data.startsWith(CANCEL_AUTHORIZATION)) {
    return { kind: 'cancel', from: address(0), nonce: `0x${at(1)}` }
  }
  if (!data.startsWith(TRANSFER_WITH_AUTHORIZATION)) return undefined
  return {
    kind: 'pay',
    authorization: {
      from: address(0),
      to: address(1),
      value: decimal(2),
      validAfter: decimal(3),
      validBefore: decimal(4),
      nonce: `0x${at(5)}`,
    },
    signature: `0x${at(7)}${at(8)}${at(6).slice(62)}`,
  }
}

/** 32 bytes of hex, without `0x`. */
function numberWord(value: number): string {
  return uintWord(BigInt(value))
}

/** Reads a signed transaction as a node does: who sent it is recovered from its signature. */
export function readRawTransaction(crypto: EvmCrypto, raw: string): ChainTransaction {
  const { r, s, yParity, ...unsigned } = parseTransaction(`0x02${raw.slice(4)}`)
  const { to, data, nonce, maxFeePerGas } = unsigned
  if (typeof to !== 'string' || typeof data !== 'string' || r === undefined || s === undefined)
    throw new Error('a transaction that is not one of a relayer')
  const digest = crypto.keccak256(fromHex(serializeTransaction(unsigned)))
  const signature = fromHex(`0x${word(r)}${word(s)}${yParity === 1 ? '1c' : '1b'}`)
  const call = { to: to.toLowerCase(), data }
  const sender = crypto.recoverAddress(digest, signature) ?? 'nobody'
  const spend = readSpend(call, sender, words => toHex(crypto.keccak256(fromHex(`0x${words}`))))
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
