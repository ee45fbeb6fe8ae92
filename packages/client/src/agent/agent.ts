import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { CapabilityError } from '@farebox/protocol/errors/service-errors'
import { readAgentUrl } from './agent-url.ts'
import type { Connection } from '../exchange/client-options.ts'
import { readAbout } from './read-about.ts'

/** Whom to call: a base URL, or with it the declaration a caller has already read and holds the agent to. */
export type CalledAgent = string | { readonly url: string; readonly declaration: Declaration }

/** An agent whose declaration is at hand. */
export interface KnownAgent {
  /** Base URL, without a slash at its end. */
  readonly url: string
  readonly declaration: Declaration
}

/** Reads the agent's `/about`, unless the caller has it. */
export async function meetAgent(agent: CalledAgent, connection: Connection): Promise<KnownAgent> {
  const url = readAgentUrl(typeof agent === 'string' ? agent : agent.url, connection)
  if (typeof agent !== 'string') return { url, declaration: agent.declaration }
  const { signal, ...rest } = connection
  return { url, declaration: await readAbout(url, { ...rest, ...(signal === undefined ? {} : { signal }) }) }
}

/**
 * The named capability of a declaration.
 *
 * @throws {CapabilityError} in the agent's own words (D21), without a call
 */
export function findCapability(declaration: Declaration, name: string): Capability {
  const { capabilities } = declaration
  const capability = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined
  if (capability !== undefined) return capability
  const available = Object.keys(capabilities).join(', ')
  throw new CapabilityError(`Unknown capability "${name}". Available: ${available}`)
}
