import type { AnswerSchema } from '@farebox/client/internal/exchange/read-answer'
import type { WalletBalance } from '@farebox/platform-api/wallets'

const isDigits = (value: unknown): boolean => typeof value === 'string' && /^\d+$/.test(value)
const isText = (value: unknown): boolean => typeof value === 'string'

const FORMS: { readonly [field in keyof WalletBalance]: (value: unknown) => boolean } = {
  address: isText,
  usdc: isText,
  usdc_atomic: isDigits,
  native_wei: isDigits,
  block_number: value => Number.isSafeInteger(value) && Number(value) >= 0,
}

/**
 * A wallet balance, validated like `walletBalance` of `platform-api` but without zod: every page of a reader with a wallet
 * requests the balance, and zod is as large as a third of such a page.
 */
export const plainBalance: AnswerSchema<WalletBalance> = {
  safeParse(value) {
    const given = typeof value === 'object' && value !== null ? (value as Partial<WalletBalance>) : {}
    const fields = Object.keys(FORMS) as (keyof WalletBalance)[]
    const wrong = fields.filter(field => !FORMS[field](given[field]))
    if (wrong.length === 0)
      return {
        success: true,
        data: Object.fromEntries(fields.map(field => [field, given[field]])) as unknown as WalletBalance,
      }
    const issues = wrong.map(field => ({ code: 'invalid', path: [field], message: 'it has another form' }))
    return { success: false, error: { issues } }
  },
}
