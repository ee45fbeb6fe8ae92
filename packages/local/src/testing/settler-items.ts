import { concat, encodePacked, zeroHash } from 'viem'
import type { Hex } from 'viem'

/** An item of BatchSettler with separate fields. */
export interface SettlerItem {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly v: number
  readonly r: Hex
  readonly s: Hex
  /** Zeros mean that the payer's account must have no code. */
  readonly codeHash: Hex
}

/** Encodes items with viem in the packed form that BatchSettler accepts. */
export function packItems(items: readonly SettlerItem[]): Hex {
  return concat(['0x', ...items.map(packItem)])
}

function packItem(item: SettlerItem): Hex {
  const { from, to, value, validAfter, validBefore, nonce, v, r, s, codeHash } = item
  const kind =
    codeHash === zeroHash ? encodePacked(['uint8'], [0]) : encodePacked(['uint8', 'bytes32'], [1, codeHash])
  const transfer = encodePacked(
    ['address', 'uint128', 'uint48', 'uint48', 'bytes32', 'uint8', 'bytes32', 'bytes32'],
    [to, value, Number(validAfter), Number(validBefore), nonce, v, r, s],
  )
  return concat([from, kind, transfer])
}
