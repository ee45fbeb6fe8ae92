import { failure } from '@farebox/platform-api/errors'
import { type FlowTemplate, templatesAnswer } from '@farebox/platform-api/flows/saved-flows'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { AgentRow } from '../../agents/agent-row.ts'
import { readAgents } from '../../agents/read-agent.ts'
import type { KnownCapability } from '../../checking/check-flow.ts'
import type { PinnedFlow } from '../../checking/flows/pin-jobs.ts'
import { callerKey } from '../../http/caller-key.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { findAgents } from '../../search/find-agents.ts'
import { createFrequencySource, type FrequencySource } from '../../search/frequencies.ts'
import { readSearch } from '../../search/search.ts'
import { exactKey } from '../../words.ts'
import { readCurrent } from '../read-catalog.ts'
import { refuseBusy } from '../refuse-busy.ts'
import { draftOf, type FlowOutline } from './flow-outline.ts'
import { OUTLINES } from './outlines.ts'

/** The route for template flows with agents that are listed now. */
export function templatesRoute(parts: PlatformParts): Route {
  const frequencies = createFrequencySource(parts.clock)
  return defineRoute({
    method: 'GET',
    path: '/v1/flows/templates',
    summary: 'Template flows, filled with agents that are listed now',
    access: 'public',
    answers: {
      200: {
        description: 'The simplest first; without those that nobody here could run',
        schema: templatesAnswer,
      },
      503: { description: 'The search took too long, or too many checks are running', schema: failure },
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

/** The most agents per capability name that are considered, the best first. */
const MOST_CANDIDATES = 8

/** The best agents that offer capabilities of these names and accept orders now. */
async function findCandidates(
  database: Database,
  frequencies: FrequencySource,
  names: readonly string[],
): Promise<{ readonly [capability: string]: readonly KnownCapability[] }> {
  const memory = { frequencies, counter: { count: () => undefined } }
  const found: [string, readonly KnownCapability[]][] = []
  for (const name of names) {
    const search = readSearch({ capability: name, limit: String(MOST_CANDIDATES) })
    const page = await findAgents(database, memory, search)
    const ids = page.found.map(({ agentId }) => Number(agentId))
    const agents = new Map((await readAgents(database, ids)).map(agent => [agent.agentId, agent]))
    const offered = await Promise.all(ids.map(id => offeredBy(agents.get(id), name)))
    found.push([name, offered.filter(({ current }) => current?.state === 'online')])
  }
  return Object.fromEntries(found)
}

async function offeredBy(agent: AgentRow | undefined, name: string): Promise<KnownCapability> {
  const declared = Object.keys(agent?.declaration?.capabilities ?? {})
  const capability = declared.find(one => exactKey(one) === name) ?? name
  return { agentId: agent?.agentId ?? 0, capability, current: await readCurrent(agent, capability) }
}
