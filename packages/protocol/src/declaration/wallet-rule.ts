import { WALLET_PLACEHOLDER } from './declaration.ts'
import type { Rule } from '../field-rules/rule.ts'

/**
 * The address that is paid, or the placeholder for the one from the environment (D28). Checking its checksum needs a hash:
 * see `refuseAddress`.
 */
export function wallet(): Rule {
  return {
    check(value, path) {
      if (value === WALLET_PLACEHOLDER) return []
      if (typeof value === 'string' && ADDRESS.test(value)) {
        if (!ZERO_ADDRESS.test(value)) return []
        return [{ path, reason: 'must not be the zero address', fix: USE_PLACEHOLDER }]
      }
      const reason = `must be "${WALLET_PLACEHOLDER}" or an address of 0x and 40 hex digits`
      return [{ path, reason, fix: typeof value === 'string' ? fixWallet(value) : USE_PLACEHOLDER }]
    },
    schema: {
      type: 'string',
      pattern: `^(?:${WALLET_PLACEHOLDER.replace(/[${}]/g, '\\$&')}|0x(?!0{40}$)[0-9a-fA-F]{40})$`,
      patternErrorMessage: `must be "${WALLET_PLACEHOLDER}" or an address of 0x and 40 hex digits, not zero`,
      examples: [WALLET_PLACEHOLDER],
    },
    example: WALLET_PLACEHOLDER,
  }
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const ZERO_ADDRESS = /^0x0{40}$/
const USE_PLACEHOLDER = `write "${WALLET_PLACEHOLDER}" and set the address in the environment`

function fixWallet(text: string): string {
  const digits = text.trim().replace(/^0x/i, '')
  if (!/^[0-9a-f]+$/i.test(digits)) {
    return text.endsWith('.eth') ? `write the address that ${shortName(text)} stands for` : USE_PLACEHOLDER
  }
  if (digits.length === 40) return `write "0x${digits}"`
  return `copy the address again: it has ${digits.length} hex digits, not 40`
}

function shortName(text: string): string {
  return text.length > 40 ? 'the name' : text
}
