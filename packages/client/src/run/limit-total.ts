import { priceFlow } from '@farebox/flows/internal/check/price'
import type { Flow, Step } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import { readJobKey } from '@farebox/flows/run/run-state'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import type { PricedJob } from './price-jobs.ts'
import { RunRefused } from './run-errors.ts'

/**
 * Refuses a flow that may exceed its limit. If everything is signed at the start, all prices count; if each payment is
 * signed when needed, the most expensive combination of branches counts. Lists count at their declared maximum.
 *
 * @throws {RunRefused}
 */
export function limitTotal(
  flow: Flow,
  jobs: readonly PricedJob[],
  { maxAtomic, sign }: { readonly maxAtomic: bigint; readonly sign: 'upfront' | 'just-in-time' },
): void {
  const total = sign === 'upfront' ? sumOf(jobs) : dearestWay(flow, jobs)
  if (total <= maxAtomic) return
  const [costs, most] = [formatUsdc(total), formatUsdc(maxAtomic)]
  throw new RunRefused('max-total', undefined, `the flow can cost ${costs} USDC, more than ${most}`)
}

function sumOf(jobs: readonly PricedJob[]): bigint {
  const steps = new Map(jobs.map(job => [readJobKey(job.key)?.step, job]))
  return [...steps.values()].reduce(
    (sum, { amountAtomic, step }) => sum + amountAtomic * BigInt(step.map?.most ?? 1),
    0n,
  )
}

function dearestWay(flow: Flow, jobs: readonly PricedJob[]): bigint {
  const quoted: { [id: string]: Step } = { ...flow.steps }
  for (const { key, step, amountAtomic } of jobs) {
    const id = readJobKey(key)?.step
    if (id === undefined) continue
    quoted[id] = { ...step, pinned: { ...step.pinned, price: formatUsdc(amountAtomic) } }
  }
  const most = readUsdc(priceFlow(buildGraph({ ...flow, steps: quoted })).at_most)
  return most.ok ? most.atomic : sumOf(jobs)
}
