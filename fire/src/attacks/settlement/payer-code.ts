/** `return isValidSignature.selector`, whatever was asked (EIP-1271). */
const SAY_YES = '631626ba7e60e01b5f5260205ff3'

/** Says yes where nobody sent the transaction, as in an `eth_call` without `from`, and burns all gas in a block. */
export const ORIGIN_BURNING_CODE = `0x3215600657fe5b${SAY_YES}`

/** Says yes in every second block and burns all gas in the others: no trial in one block can foresee the next. */
export const PARITY_BURNING_CODE = `0x4360011615600957fe5b${SAY_YES}`

/** Burns all gas. */
export const BURNING_CODE = '0xfe'
