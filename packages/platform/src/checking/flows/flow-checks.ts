import { checkFlow } from '@farebox/flows/check/check-flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import { dryRun, type DryRun } from '@farebox/flows/run/dry-run'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatProblem } from '@farebox/protocol/problems/problem'
import type { Clock } from '@farebox/protocol/time/clock'
import { checkGivenFlow } from '../check-flow.ts'
import { countBreaks } from './count-breaks.ts'
import { findBroken } from './find-breaks.ts'
import {
  type CapabilityQuestion,
  findFitting,
  type FoundFitting,
  type KeptDeclaration,
} from './find-fitting.ts'
import { pinJobs } from './pin-jobs.ts'
import { readKeptFlow } from './read-kept-flow.ts'

/** The checks of flows and of capabilities that can become steps. */
export function createFlowChecks(clock: Pick<Clock, 'nowMs'>) {
  return {
    /** Checks a flow against the current state of its capabilities. */
    flow: checkGivenFlow,
    /** Reads a flow that is to be stored. */
    'kept-flow': readKeptFlow,
    /** Finds stored flows that a change of their capabilities broke. */
    'broken-flows': findBroken,
    /** Counts the stored flows that a change of an agent breaks. */
    breaks: countBreaks,
    /** Runs a flow on sample data. */
    'dry-run': playFlow,
    /** Pins the jobs of draft flows to agents. */
    'pinned-jobs': pinJobs,
    /** Finds capabilities that meet given conditions. */
    fitting({
      agents,
      question,
      timeMs,
    }: {
      readonly agents: readonly KeptDeclaration[]
      readonly question: CapabilityQuestion
      readonly timeMs: number
    }): FoundFitting {
      return findFitting(agents, question, { clock, timeMs })
    },
  }
}

/** A flow run on sample data, or the part of the request that prevents it. */
type PlayedFlow =
  | { readonly ok: true; readonly played: Extract<DryRun, { readonly ok: true }> }
  | { readonly ok: false; readonly part: 'flow' | 'input'; readonly reason: string }

/** Runs an untrusted flow on sample data, with its pinned schemas. */
function playFlow(given: { readonly flow: unknown; readonly input?: JsonObject }): PlayedFlow {
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
