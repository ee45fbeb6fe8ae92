/**
 * PUBLIC TEST KEYS, NEVER FOR REAL MONEY: accounts of the mnemonic that anvil and Hardhat start every local chain with,
 * "test test test test test test test test test test test junk". The node signs for them itself.
 */

/** An account without a role: sends the transactions of an outsider. */
export const STRANGER = {
  address: '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
  privateKey: '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
} as const

/** The wallets that are paid when no others are given. */
export const PAYEE = {
  address: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  privateKey: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
} as const
export const SECOND_PAYEE = { address: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc' } as const

/** A wallet that belongs to another owner. */
export const OTHER_PAYEE = { address: '0x976EA74026E726554dB657fA54763abd0C3a0aa9' } as const
