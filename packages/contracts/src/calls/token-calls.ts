import { addressWord, uintWord } from '../abi-words.ts'

/** Calls of a USDC, encoded by hand. Amounts in atomic units. */

type Hex = `0x${string}`

/** `balanceOf(address)` of ERC-20. */
const BALANCE_OF = '0x70a08231'
/** `mint(address,uint256)`. */
const MINT = '0x40c10f19'

/** `totalSupply()` of ERC-20. */
export const TOTAL_SUPPLY_CALL = '0x18160ddd'

/** Asks for the balance of an address. */
export function encodeBalanceOf(address: string): Hex {
  return `${BALANCE_OF}${addressWord(address)}`
}

/** Gives an address test money; anybody may call it at a LocalUSDC, and nobody at a real one. */
export function encodeMint(address: string, amount: bigint): Hex {
  return `${MINT}${addressWord(address)}${uintWord(amount)}`
}
