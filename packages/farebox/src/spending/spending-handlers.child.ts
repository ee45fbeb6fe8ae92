import type { JobContext } from '../handlers.ts'

// Handlers for the tests of spending from separate processes.

const SHOP = '0x976EA74026E726554dB657fA54763abd0C3a0aa9'

async function spend({ amount = '0.1' }: { readonly amount?: string }, ctx: JobContext) {
  const allowance = await ctx.allowance()
  const { transaction } = await ctx.spend({ token: 'USDC', amount, to: SHOP })
  const key = process.env['SPENDER_PRIVATE_KEY'] ?? 'none'
  return { text: JSON.stringify({ allowance, transaction, key }) }
}

// The runtime looks for the default export (D28).
// oxlint-disable-next-line import/no-default-export
export default { buy: spend, look: spend }
