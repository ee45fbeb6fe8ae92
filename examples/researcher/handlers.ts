import { isHireError, type Hired } from 'farebox'
import type { DigestInput, DigestOutput, Handlers } from './agent.d.ts'

/**
 * The gist is the job: without it the job fails, and is not charged. The figures are worth having: without them the
 * output says less. All three are hired at once; what each may cost adds up to less than 90 % of our own price.
 */
const digest: Handlers['digest'] = async ({ text, sentences }: DigestInput, ctx): Promise<DigestOutput> => {
  const summary = agentUrl('SUMMARY_AGENT_URL', 'http://127.0.0.1:3001')
  const statistics = agentUrl('STATISTICS_AGENT_URL', 'http://127.0.0.1:3002')
  const optional = async (hire: Promise<Hired>): Promise<Hired | undefined> => {
    try {
      return await hire
    } catch (error) {
      if (!isHireError(error)) throw error
      ctx.log(`done without: ${error.message}`)
      return undefined
    }
  }
  const [gist, frequent, count] = await Promise.all([
    ctx.hire(summary, 'summarize', { text, sentences }, { key: 'gist', maxPrice: '0.012' }),
    optional(ctx.hire(statistics, 'frequent', { text, top: 5 }, { key: 'topics', maxPrice: '0.003' })),
    optional(ctx.hire(statistics, 'count', { text }, { key: 'length', maxPrice: '0.003' })),
  ])
  const hires = [gist, frequent, count].filter(hired => hired !== undefined)
  const seconds = count?.output['reading_seconds']
  return {
    gist: String(gist.output['summary']),
    topics: topicsOf(frequent),
    ...(typeof seconds === 'number' && { reading_seconds: seconds }),
    hired: hires.length,
    paid_to_others: sum(hires.map(({ paid }) => paid)),
  }
}

// The runtime looks for the default export.
// oxlint-disable-next-line import/no-default-export
export default { digest }

function agentUrl(variable: string, fallback: string): string {
  return process.env[variable] ?? fallback
}

function topicsOf(frequent: Hired | undefined): string[] {
  const words = frequent?.output['words']
  if (!Array.isArray(words)) return []
  return words.flatMap(entry =>
    typeof entry === 'object' && entry !== null && 'word' in entry ? [String(entry['word'])] : [],
  )
}

/** In millionths, because 0.1 + 0.2 is not 0.3. */
function sum(decimals: readonly string[]): string {
  const millionths = decimals.reduce((all, decimal) => all + Math.round(Number(decimal) * 1e6), 0)
  return String(millionths / 1e6)
}
