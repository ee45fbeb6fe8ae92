import { concatBytes, fromHex, toHex } from '../crypto/bytes.ts'
import type { EvmCrypto } from '../crypto/evm-crypto.ts'
import { encodeRlp, uintBytes, type RlpItem } from './rlp.ts'

/** A transaction of type 2 (EIP-1559). Amounts are in wei. */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly nonce: number
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly gasLimit: bigint
  /** The contract that is called. */
  readonly to: string
  readonly valueWei: bigint
  /** `0x` hex. */
  readonly callData: string
}

/** A signed transaction in the form in which it is sent. */
export interface SignedTransaction {
  /** The argument of `eth_sendRawTransaction`. */
  readonly raw: string
  /** The hash of the transaction on the chain. */
  readonly hash: string
}

/** The number of this transaction type (EIP-2718). */
const TYPE = Uint8Array.of(2)
const ACCESS_LIST: readonly RlpItem[] = []

/**
 * Signs a transaction.
 *
 * @param signDigest returns 65 bytes r ‖ s ‖ v with v 27 or 28
 */
export function signTransaction(
  { keccak256 }: Pick<EvmCrypto, 'keccak256'>,
  signDigest: (digest: Uint8Array) => Uint8Array,
  transaction: UnsignedTransaction,
): SignedTransaction {
  const fields = fieldsOf(transaction)
  const signature = signDigest(keccak256(concatBytes(TYPE, encodeRlp(fields))))
  const number = (bytes: Uint8Array): Uint8Array => uintBytes(BigInt(toHex(bytes)))
  const parity = signature[64] === 28 ? 1n : 0n
  const signed: readonly RlpItem[] = [
    ...fields,
    uintBytes(parity),
    number(signature.subarray(0, 32)),
    number(signature.subarray(32, 64)),
  ]
  const raw = concatBytes(TYPE, encodeRlp(signed))
  return { raw: toHex(raw), hash: toHex(keccak256(raw)) }
}

function fieldsOf(transaction: UnsignedTransaction): readonly RlpItem[] {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, valueWei, callData } = transaction
  return [
    uintBytes(BigInt(chainId)),
    uintBytes(BigInt(nonce)),
    uintBytes(maxPriorityFeePerGas),
    uintBytes(maxFeePerGas),
    uintBytes(gasLimit),
    fromHex(to),
    uintBytes(valueWei),
    fromHex(callData),
    ACCESS_LIST,
  ]
}
