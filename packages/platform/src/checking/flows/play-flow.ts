import { checkFlow } from '@farebox/flows/check/check-flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import { dryRun, type DryRun } from '@farebox/flows/run/dry-run'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatProblem } from '@farebox/protocol/problems/problem'

/** A flow on sample data, or what of the request keeps it from being played. */
export type PlayedFlow =
  | { readonly ok: true; readonly played: Extract<DryRun, { readonly ok: true }> }
  | { readonly ok: false; readonly part: 'flow' | 'input'; readonly reason: string }

/** Plays a flow from outside through on samples, by what is pinned in it. */
export function playFlow(given: { readonly flow: unknown; readonly input?: JsonObject }): PlayedFlow {
  const read = readFlow(given.flow)
  if (!read.ok)
    return { ok: false, part: 'flow', reason: read.problems.slice(0, 5).map(formatProblem).join('; ') }
  const [finding] = checkFlow(read.flow).findings
  if (finding?.severity === 'error') {
    const place = [finding.step, finding.port].filter(part => part !== undefined).join('.')
    return {
      ok: false,
      part: 'flow',
      reason: place === '' ? finding.message : `${place}: ${finding.message}`,
    }
  }
  const played = dryRun(buildGraph(read.flow), given.input)
  return played.ok ? { ok: true, played } : { ok: false, part: 'input', reason: played.reason }
}
