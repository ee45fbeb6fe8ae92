import type { Flow } from '@farebox/flows/document/flow'

export interface FlowNames {
  step(id: string): string
  /** Returns the property of an agent in `AGENTS`. */
  agent(agentId: number): string
  agentVariable(agentId: number): string
  secretVariable(id: string, port: string): string
}

/**
 * The prefix of all environment variables that a flow names. A flow may come from an untrusted author; with the prefix it
 * cannot read a key of the agent or change a setting.
 */
const SECRET_PREFIX = 'FLOW_SECRET_'
const AGENT_PREFIX = 'FLOW_AGENT_'

/** Words that are reserved by the language or used in the generated file. */
const TAKEN = new Set(
  (
    'input ctx run given first pick text toNumber listOf rename contains equals secret AGENTS item at one ' +
    'await async break case catch class const continue debugger default delete do else enum export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public ' +
    'return static super switch this throw true try typeof undefined var void while with yield arguments eval'
  ).split(' '),
)

/** Assigns each item a unique name. */
export function nameFlow(flow: Flow): FlowNames {
  const used = new Set(TAKEN)
  const steps = new Map(Object.keys(flow.steps).map(id => [id, unused(identifier(id, 'step'), used)]))
  const agents = new Map<number, string>()
  const usedAgents = new Set<string>()
  for (const step of Object.values(flow.steps)) {
    if (step.kind !== 'job' || agents.has(step.agent_id)) continue
    agents.set(step.agent_id, unused(identifier(step.pinned.agent_name, 'agent'), usedAgents))
  }
  const agent = (agentId: number): string => agents.get(agentId) ?? `agent${agentId}`
  const secrets = nameSecrets(flow)
  return {
    step: id => steps.get(id) ?? identifier(id, 'step'),
    agent,
    // Agent names also differ when written in capitals, because each capital letter in them begins a word.
    agentVariable: agentId => `${AGENT_PREFIX}${constant(agent(agentId).replaceAll(/[A-Z]/g, '_$&'))}_URL`,
    secretVariable(id, port) {
      const name = secrets.get(secretKey(id, port))
      if (name === undefined) throw new RangeError('a port that is not secret')
      return name
    },
  }
}

/** Distinguishes `a` with `b_c` from `a_b` with `c`, which are two secrets. */
function nameSecrets({ steps }: Flow): ReadonlyMap<string, string> {
  const used = new Set<string>()
  const ports = Object.entries(steps).flatMap(([id, { secret = [] }]) =>
    [...new Set(secret)].map(port => ({ id, port })),
  )
  return new Map(
    ports.map(({ id, port }) => [
      secretKey(id, port),
      unused(`${SECRET_PREFIX}${constant(`${id}_${port}`)}`, used),
    ]),
  )
}

function secretKey(id: string, port: string): string {
  return JSON.stringify([id, port])
}

function constant(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')
}

/** Converts a name to an identifier: `Text statistics` → `textStatistics`. */
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
