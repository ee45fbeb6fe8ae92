/** Why a simulated transfer would be reverted. */
export interface Revert {
  /** An x402 error name. */
  readonly reason: string
  /** The token's own message, or a general one if the token gave none. */
  readonly message: string
  /**
   * The call ended without revert data, as a call that runs out of gas does: another call of the batch may have caused it.
   */
  readonly mute: boolean
}

/** Messages of FiatTokenV2 (Circle) and the x402 name of each; messages of other tokens get the general name. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/used or cancell?ed/i, 'invalid_exact_evm_nonce_already_used'],
  [/exceeds balance/i, 'invalid_exact_evm_insufficient_balance'],
  [/not yet valid/i, 'invalid_exact_evm_payload_authorization_valid_after'],
  [/expired/i, 'invalid_exact_evm_payload_authorization_valid_before'],
  [/signature/i, 'invalid_exact_evm_signature'],
]

const GENERAL_NAME = 'invalid_exact_evm_transaction_simulation_failed'
/** Selector of Solidity's `Error(string)`. */
const ERROR_STRING = '0x08c379a0'

/** Decodes revert data, `0x` hex. */
export function readRevert(data: string): Revert {
  const words = readErrorString(data)
  if (words === undefined) {
    return { reason: GENERAL_NAME, message: 'the token would revert this transfer', mute: data === '0x' }
  }
  const name = NAMES.find(([pattern]) => pattern.test(words))?.[1]
  return {
    reason: name ?? GENERAL_NAME,
    message: `the token would revert this transfer: ${words}`,
    mute: false,
  }
}

function readErrorString(data: string): string | undefined {
  if (!data.toLowerCase().startsWith(ERROR_STRING)) return undefined
  const bytes = Buffer.from(data.slice(2 + 8), 'hex')
  if (bytes.length < 64) return undefined
  const length = bytes.readUInt32BE(60)
  // The token's message goes into responses and logs, so it is shortened and stripped of unprintable characters.
  return bytes
    .subarray(64, 64 + Math.min(length, 200))
    .toString('utf8')
    .replaceAll(/[^\x20-\x7e]/g, '?')
}
