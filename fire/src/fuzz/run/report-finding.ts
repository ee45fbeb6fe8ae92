import { createRandom } from '../../simulator/seeded-random.ts'
import { breakBytes } from '../generate/break-bytes.ts'
import { buildRequest, type WireRequest } from '../generate/build-request.ts'
import type { PaymentMaker } from '../generate/payment-draft.ts'
import type { Recipe } from '../generate/recipe.ts'
import type { Finding } from './run-epoch.ts'

/** A finding as a person reads it: what was wrong, how to see it again, and the request as it goes over the wire. */
export function reportFinding(finding: Finding, smallest: Recipe, maker: PaymentMaker): string {
  const { seed, epoch, reason, recipe } = finding
  return [
    `✗ ${reason}`,
    `  seed ${seed}, epoch ${epoch}: see it again with --seed ${seed} --epoch ${epoch}`,
    `  as drawn   ${JSON.stringify(recipe)}`,
    `  smallest   ${JSON.stringify(smallest)}`,
    ...writeRequest(wireOf(finding, smallest, maker)).map(line => `  | ${line}`),
  ].join('\n')
}

function wireOf({ declaration }: Finding, recipe: Recipe, maker: PaymentMaker): WireRequest {
  const jobId = createRandom(recipe.seed).fork('job').uuid()
  const nowSeconds = Date.UTC(2027, 0, 1) / 1_000
  const { wire } = buildRequest(recipe, { declaration, maker, nowSeconds, jobId })
  if (recipe.kind !== 'wild') return wire
  return { ...wire, body: breakBytes(createRandom(recipe.seed).fork('wild'), String(wire.body)) }
}

/** Bytes beyond ASCII are escaped, long ones cut: this is for a terminal. */
function writeRequest({ method, url, headers, body }: WireRequest): readonly string[] {
  const text = typeof body === 'string' ? body : (body?.toString('latin1') ?? '')
  const lines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', text]
  return lines.map(line => JSON.stringify(line).slice(1, -1).slice(0, MAX_LINE))
}

const MAX_LINE = 2_000
