import { paymentPlan } from '@farebox/flows/check/payment-plan'
import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { loopTurns } from '../../http/loop-turns.ts'
import { Refusal } from '../../http/refusal.ts'
import { quoteJob } from '../../jobs/quote/quote-job.ts'
import type { PlatformParts } from '../../platform-parts.ts'

type Quoted = Pick<RunQuote['jobs'][number], 'quote' | 'error'>

/**
 * Asks every agent of a flow for its price, each capability once and all concurrently, and returns the payments to be
 * signed.
 *
 * @param keys - limits the quote to these jobs; undefined for all
 */
export async function quoteRun(
  parts: PlatformParts,
  flow: Flow,
  { keys, signal }: { readonly keys: readonly string[] | undefined; readonly signal: AbortSignal },
): Promise<RunQuote> {
  const asked = new Map<string, Promise<Quoted>>()
  const wanted = keys === undefined ? undefined : new Set(keys)
  const jobs: Promise<RunQuote['jobs'][number]>[] = []
  let totalAtomic = 0n
  const plan = await loopTurns.take(() => paymentPlan(buildGraph(flow)))
  for (const { step: id, keys: ofStep, sign, validForSeconds } of plan) {
    const step = flow.steps[id]
    if (step?.kind !== 'job') continue
    const name = `${step.agent_id} ${step.capability}`
    for (const key of ofStep) {
      if (wanted !== undefined && !wanted.delete(key)) continue
      const quoted = asked.get(name) ?? quoteOne(parts, step.agent_id, step.capability, signal)
      asked.set(name, quoted)
      jobs.push(
        quoted.then(({ quote, error }) => {
          totalAtomic += BigInt(quote?.amount_atomic ?? 0)
          return { key, step: id, sign, valid_for_seconds: validForSeconds, quote, error }
        }),
      )
    }
  }
  const [unknown] = wanted ?? []
  if (unknown !== undefined) throw new Refusal('validation', `keys: ${unknown}: is no job of this flow`)
  const answers = await Promise.all(jobs)
  return { jobs: answers, total: formatUsdc(totalAtomic) }
}

async function quoteOne(
  parts: PlatformParts,
  agentId: number,
  capability: string,
  signal: AbortSignal,
): Promise<Quoted> {
  try {
    return { quote: await quoteJob(parts, { agentId, capability, signal }), error: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { quote: null, error: error.message }
  }
}
