import { breakBytes } from '../generate/accidents.ts'
import { buildRequest, type WireRequest } from '../generate/build-request.ts'
import type { PaymentMaker } from '../generate/payment-draft.ts'
import type { Finding } from './run-round.ts'

const MAX_LINE = 2_000

/** A finding as a person reads it: what was wrong, how to see it again, and the request as it goes over the wire. */
export function writeFinding(finding: Finding, seed: number | 'fixed', maker: PaymentMaker): string {
  return [
    `✗ ${finding.reason}`,
    `  again      npm run fire -- fuzz --replay ${seed}/${finding.path}`,
    `  all of it  npm run fire -- fuzz --replay ${seed}`,
    `  recipe     ${JSON.stringify(finding.recipe)}`,
    ...writeRequest(wireOf(finding, maker)).map(line => `  | ${line}`),
  ].join('\n')
}

function wireOf({ declaration, recipe }: Finding, maker: PaymentMaker): WireRequest {
  if (recipe.kind === 'route')
    return { method: recipe.method, url: recipe.path, headers: [], body: undefined }
  const scene = { declaration, maker, nowSeconds: Date.UTC(2027, 0, 1) / 1_000 }
  if (recipe.kind === 'execute') return buildRequest(recipe, scene).wire
  const { wire } = buildRequest(recipe.job, scene)
  return { ...wire, body: breakBytes(String(wire.body), recipe.accidents) }
}

/** Bytes beyond ASCII are escaped, long ones cut: this is for a terminal. */
function writeRequest({ method, url, headers, body }: WireRequest): readonly string[] {
  const text = typeof body === 'string' ? body : (body?.toString('latin1') ?? '')
  const lines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', text]
  return lines.map(line => JSON.stringify(line).slice(1, -1).slice(0, MAX_LINE))
}
