import type { JobContext } from 'farebox'

/** The payee: a test account without other use. */
const SHOP = '0x976EA74026E726554dB657fA54763abd0C3a0aa9'

export default {
  async pay({ amount }: { readonly amount: string }, { spend }: JobContext) {
    const { transaction } = await spend({ token: 'USDC', amount, to: SHOP })
    return { transaction }
  },
  read: ({ text }: { readonly text: string }) => ({
    words: text.split(/\s+/).filter(word => word !== '').length,
  }),
}
