import type { Authorization } from '@farebox/payments/authorization/eip-3009'

/**
 * The calls that a facilitator makes, encoded by hand: with a hundred in a batch, a general ABI coder is noticeably slower.
 */

/**
 * `transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)`,
 * EIP-3009.
 */
const TRANSFER_WITH_AUTHORIZATION = '0xe3ee160e'
/** `authorizationState(address,bytes32)`, EIP-3009. */
const AUTHORIZATION_STATE = '0xe94a0102'
/** `DOMAIN_SEPARATOR()`, EIP-712 tokens. */
export const DOMAIN_SEPARATOR = '0x3644e515'
/** `aggregate3((address,bool,bytes)[])`, Multicall3. */
const AGGREGATE3 = '0x82ad56cb'
/** `settle(address,uint256,bytes)`, BatchSettler. */
const SETTLE = '0x1c8cbdc9'
/** `getBlockNumber()`, Multicall3. */
export const GET_BLOCK_NUMBER = '0x42cbb15c'
/** `getCurrentBlockTimestamp()`, Multicall3. */
export const GET_BLOCK_TIMESTAMP = '0x0f28c97d'

const WORD = 64

/** A call within a batch; its failure does not affect the others. */
export interface BatchedCall {
  /** Address of the contract. */
  readonly to: string
  /** `0x` hex. */
  readonly data: string
}

/** The result of one call of a batch. */
export interface CallResult {
  readonly succeeded: boolean
  /** `0x` hex: the return value, or the revert data. */
  readonly data: string
}

/** The only call that moves money: its parameters are exactly those that the payer signed. */
export function encodeTransfer(authorization: Authorization, signature: string): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130, 132)]
  return (
    TRANSFER_WITH_AUTHORIZATION +
    hexWord(from) +
    hexWord(to) +
    uintWord(value) +
    uintWord(validAfter) +
    uintWord(validBefore) +
    hexWord(nonce) +
    v.padStart(WORD, '0') +
    r +
    s
  )
}

/** Calls `authorizationState`, which is true for used nonces and for cancelled ones. */
export function encodeAuthorizationState(from: string, nonce: string): string {
  return AUTHORIZATION_STATE + hexWord(from) + hexWord(nonce)
}

/** Encodes several calls as one Multicall3 call; each may fail on its own. */
export function encodeBatch(calls: readonly BatchedCall[]): string {
  const heads: string[] = []
  const tails: string[] = []
  let offset = calls.length * 32
  for (const { to, data } of calls) {
    const bytes = (data.length - 2) / 2
    const padded = Math.ceil(bytes / 32) * WORD
    heads.push(numberWord(offset))
    // (target, allowFailure = true, offset of callData within the struct, length, bytes)
    tails.push(
      hexWord(to),
      numberWord(1),
      numberWord(96),
      numberWord(bytes),
      data.slice(2).padEnd(padded, '0'),
    )
    offset += 128 + padded / 2
  }
  return AGGREGATE3 + numberWord(32) + numberWord(calls.length) + heads.join('') + tails.join('')
}

/** One transfer in a BatchSettler call. */
export interface SettlerItem {
  readonly authorization: Authorization
  /** 65 bytes, `0x` hex. */
  readonly signature: string
  /** The code hash that the payer's account must have in the block; undefined: the account must have no code. */
  readonly codeHash: string | undefined
}

/** Bytes of a value and of a time in a BatchSettler item. */
const VALUE_BYTES = 16
const TIME_BYTES = 6

/**
 * Several transfers of a token as one call of BatchSettler, each with its own gas limit. BatchSettler.sol documents the
 * layout of an item.
 *
 * Throws a `RangeError` when a value or a time is too large for an item; see {@link fitsSettle}.
 */
export function encodeSettle(token: string, gasEach: bigint, items: readonly SettlerItem[]): string {
  const packed = items.map(packItem).join('')
  return (
    SETTLE +
    hexWord(token) +
    gasEach.toString(16).padStart(WORD, '0') +
    numberWord(96) +
    numberWord(packed.length / 2) +
    packed.padEnd(Math.ceil(packed.length / WORD) * WORD, '0')
  )
}

/**
 * Do value and times fit into an item of {@link encodeSettle}? A payment that does not fit is sent in a transaction of its
 * own.
 */
export function fitsSettle({ value, validAfter, validBefore }: Authorization): boolean {
  const fits = (decimal: string, bytes: number): boolean => BigInt(decimal) < 1n << BigInt(bytes * 8)
  return fits(value, VALUE_BYTES) && fits(validAfter, TIME_BYTES) && fits(validBefore, TIME_BYTES)
}

function packItem({ authorization, signature, codeHash }: SettlerItem): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130, 132)]
  return (
    hexBytes(from, 20) +
    (codeHash === undefined ? '00' : `01${hexBytes(codeHash, 32)}`) +
    hexBytes(to, 20) +
    uintBytes(value, VALUE_BYTES) +
    uintBytes(validAfter, TIME_BYTES) +
    uintBytes(validBefore, TIME_BYTES) +
    hexBytes(nonce, 32) +
    v +
    r +
    s
  )
}

/**
 * Decodes which items of {@link encodeSettle} the token accepted.
 *
 * Throws when the answer has another form: there is no BatchSettler on this chain.
 */
export function decodeSettle(answer: unknown, expected: number): readonly boolean[] {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer))
    throw new Error('the node answered no settlement: is BatchSettler on this chain?')
  const paid = BigInt(answer)
  return Array.from({ length: expected }, (_, index) => ((paid >> BigInt(index)) & 1n) === 1n)
}

/**
 * Decodes the results of {@link encodeBatch}.
 *
 * Throws when the answer has another form: the node's chain has no Multicall3, or the node lies.
 */
export function decodeBatch(answer: unknown, expected: number): readonly CallResult[] {
  if (typeof answer !== 'string' || !/^0x(?:[0-9a-f]{64})+$/i.test(answer)) {
    throw new Error('the node answered no batch: is Multicall3 on this chain?')
  }
  const words = answer.slice(2)
  const readNumber = (atByte: number): number => {
    const word = words.slice(atByte * 2, atByte * 2 + WORD)
    const value = word.length === WORD ? BigInt(`0x${word}`) : -1n
    if (value < 0n || value > BigInt(words.length)) throw new Error('the node answered a malformed batch')
    return Number(value)
  }
  const list = readNumber(0) + 32
  if (readNumber(list - 32) !== expected) throw new Error('the node answered a batch of another length')
  return Array.from({ length: expected }, (_, index) => {
    const item = list + readNumber(list + index * 32)
    const bytes = item + readNumber(item + 32)
    const start = (bytes + 32) * 2
    return {
      succeeded: readNumber(item) === 1,
      data: `0x${words.slice(start, start + readNumber(bytes) * 2)}`,
    }
  })
}

/** The value of a call as an integer; throws when the call failed or returned anything but a single word. */
export function readUint(result: CallResult | undefined): bigint {
  if (result === undefined || !result.succeeded || !/^0x[0-9a-f]{64}$/i.test(result.data)) {
    throw new Error('the node answered no number: is this chain the one that is configured?')
  }
  return BigInt(result.data)
}

function hexWord(hex: string): string {
  return hexBytes(hex, 32)
}

function hexBytes(hex: string, bytes: number): string {
  return hex
    .slice(2)
    .toLowerCase()
    .padStart(bytes * 2, '0')
}

function uintWord(decimal: string): string {
  return uintBytes(decimal, 32)
}

function uintBytes(decimal: string, bytes: number): string {
  const hex = BigInt(decimal)
    .toString(16)
    .padStart(bytes * 2, '0')
  if (hex.length > bytes * 2) throw new RangeError(`${decimal} does not fit into ${bytes} bytes`)
  return hex
}

function numberWord(value: number): string {
  return value.toString(16).padStart(WORD, '0')
}
