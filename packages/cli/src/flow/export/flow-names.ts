import type { Flow } from '@farebox/flows/document/flow'

/** What the things of a flow are called in code. */
export interface FlowNames {
  /** The variable of a step. */
  step(id: string): string
  /** The property of an agent in `AGENTS`. */
  agent(agentId: number): string
}

/** Words that code has other uses for: of the language, and of the file that is written. */
const TAKEN = new Set(
  (
    'input ctx run given first pick text toNumber listOf rename contains equals secret AGENTS item at one ' +
    'await async break case catch class const continue debugger default delete do else enum export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public ' +
    'return static super switch this throw true try typeof undefined var void while with yield arguments eval'
  ).split(' '),
)

/** Names all of them once, no two alike. */
export function nameFlow(flow: Flow): FlowNames {
  const used = new Set(TAKEN)
  const steps = new Map(Object.keys(flow.steps).map(id => [id, unused(identifier(id, 'step'), used)]))
  const agents = new Map<number, string>()
  const usedAgents = new Set<string>()
  for (const step of Object.values(flow.steps)) {
    if (step.kind !== 'job' || agents.has(step.agent_id)) continue
    agents.set(step.agent_id, unused(identifier(step.pinned.agent_name, 'agent'), usedAgents))
  }
  return {
    step: id => steps.get(id) ?? identifier(id, 'step'),
    agent: agentId => agents.get(agentId) ?? `agent${agentId}`,
  }
}

/** `Text statistics` → `textStatistics`. */
function identifier(name: string, fallback: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter(word => word !== '')
  const joined = words
    .map((word, at) => {
      const rest = word.slice(1)
      return at === 0 ? word.charAt(0).toLowerCase() + rest : word.charAt(0).toUpperCase() + rest
    })
    .join('')
  return /^[a-z]/.test(joined) ? joined : `${fallback}${joined}`
}

function unused(name: string, used: Set<string>): string {
  let free = name
  for (let number = 2; used.has(free); number += 1) free = `${name}${number}`
  used.add(free)
  return free
}
