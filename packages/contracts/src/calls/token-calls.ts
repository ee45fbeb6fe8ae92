import { addressWord, uintWord } from '../abi-words.ts'

/** Calls to a USDC contract, encoded by hand. Amounts in atomic units. */

type Hex = `0x${string}`

/** `balanceOf(address)` of ERC-20. */
const BALANCE_OF = '0x70a08231'
/** `mint(address,uint256)`. */
const MINT = '0x40c10f19'

/** `totalSupply()` of ERC-20. */
export const TOTAL_SUPPLY_CALL = '0x18160ddd'

/** The call that reads the balance of an address. */
export function encodeBalanceOf(address: string): Hex {
  return `${BALANCE_OF}${addressWord(address)}`
}

/** The transaction that gives an address test money; LocalUSDC allows it for every sender, the real USDC for none. */
export function encodeMint(address: string, amount: bigint): Hex {
  return `${MINT}${addressWord(address)}${uintWord(amount)}`
}
