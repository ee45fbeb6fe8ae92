import type { Clock } from '@farebox/server/clock'
import { checkGivenFlow } from '../check-flow.ts'
import { countBreaks } from './count-breaks.ts'
import { findBroken } from './find-breaks.ts'
import {
  findFitting,
  type CapabilityQuestion,
  type FoundFitting,
  type KeptDeclaration,
} from './find-fitting.ts'
import { pinJobs } from './pin-jobs.ts'
import { playFlow } from './play-flow.ts'
import { readKeptFlow } from './read-kept-flow.ts'

/** The checks of flows, and of what can be a step of one. */
export function createFlowChecks(clock: Pick<Clock, 'nowMs'>) {
  return {
    /** A flow, against what its capabilities are now. */
    flow: checkGivenFlow,
    /** A flow that is to be kept. */
    'kept-flow': readKeptFlow,
    /** Kept flows, after what they order has changed. */
    'broken-flows': findBroken,
    /** Kept flows, before and after a change of an agent. */
    breaks: countBreaks,
    /** A flow on sample data. */
    'dry-run': playFlow,
    /** Flows whose agents are to be found. */
    'pinned-jobs': pinJobs,
    /** Capabilities that are what somebody looks for. */
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
