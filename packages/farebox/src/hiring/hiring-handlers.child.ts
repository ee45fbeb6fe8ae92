import type { JobContext } from '../handlers.ts'
import { isHireError } from '../handler/hire-error.ts'

// Handlers for the tests of hiring from separate processes.

async function whole({ text, url }: { readonly text: string; readonly url: string }, ctx: JobContext) {
  const key = process.env['HIRING_PRIVATE_KEY'] ?? 'none'
  const budget = await ctx.budget()
  try {
    const { output, paid } = await ctx.hire(url, 'part', { text })
    return { text: JSON.stringify({ output, paid, budget, key }) }
  } catch (error) {
    if (!isHireError(error)) throw error
    const { problem, charged, childErrorType, agent } = error
    return { text: JSON.stringify({ problem, charged, childErrorType, agent, key }) }
  }
}

// The runtime looks for the default export (D28).
// oxlint-disable-next-line import/no-default-export
export default { whole }
