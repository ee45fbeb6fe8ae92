import { failure } from '@farebox/platform-api/errors'
import { templatesAnswer, type FlowTemplate } from '@farebox/platform-api/flows/saved-flows'
import type { PinnedFlow } from '../../checking/flows/pin-jobs.ts'
import { callerKey } from '../../http/caller-key.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { createFrequencySource } from '../../search/frequencies.ts'
import { refuseBusy } from '../refuse-busy.ts'
import { findCandidates } from './find-candidates.ts'
import { draftOf, type FlowOutline } from './flow-outline.ts'
import { OUTLINES } from './outlines.ts'

/** Flows to start from, with the agents that are listed here. */
export function templatesRoute(parts: PlatformParts): Route {
  const frequencies = createFrequencySource(parts.clock)
  return defineRoute({
    method: 'GET',
    path: '/v1/flows/templates',
    summary: 'Flows to start from, with agents that are listed here, as they are now',
    access: 'public',
    answers: {
      200: {
        description: 'The simplest first; without those that nobody here could run',
        schema: templatesAnswer,
      },
      503: { description: 'The search took too long, or too much is being checked', schema: failure },
    },
    async handle({ caller }) {
      const candidates = await findCandidates(parts.database, frequencies, wantedNames(OUTLINES))
      const given = { drafts: OUTLINES.map(draftOf), candidates }
      const owner = `templates for ${callerKey(caller.ip)}`
      const pinned = await parts.checker.run('pinned-jobs', given, owner).catch(refuseBusy)
      const templates = OUTLINES.flatMap((outline, index) => {
        const found = pinned[index]
        return found === null || found === undefined ? [] : [toTemplate(outline, found)]
      })
      return { body: { templates } }
    },
  })
}

function wantedNames(outlines: readonly FlowOutline[]): readonly string[] {
  const steps = outlines.flatMap(outline => Object.values(outline.steps))
  return [...new Set(steps.flatMap(step => (step.kind === 'job' ? [step.capability] : [])))]
}

function toTemplate(
  { id, name, description, sample }: FlowOutline,
  { flow, price }: PinnedFlow,
): FlowTemplate {
  const agents = Object.values(flow.steps).flatMap(step =>
    step.kind === 'job' ? [step.pinned.agent_name] : [],
  )
  return {
    template_id: id,
    name,
    description,
    price,
    agents: [...new Set(agents)],
    sample_input: sample,
    flow: { ...flow },
  }
}
