import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { CapabilityError } from '@farebox/protocol/errors/service-errors'
import { readAgentUrl } from './agent-url.ts'
import type { Connection } from '../exchange/client-options.ts'
import { readAbout } from './read-about.ts'

/**
 * The agent to call: a base URL, or a base URL with a declaration that the caller has already read and that the agent must
 * meet.
 */
export type CalledAgent = string | { readonly url: string; readonly declaration: Declaration }

/** An agent with its declaration. */
export interface KnownAgent {
  /** Base URL without a trailing slash. */
  readonly url: string
  readonly declaration: Declaration
}

/** Reads the agent's `/about` unless the caller passed the declaration. */
export async function meetAgent(agent: CalledAgent, connection: Connection): Promise<KnownAgent> {
  const url = readAgentUrl(typeof agent === 'string' ? agent : agent.url, connection)
  if (typeof agent !== 'string') return { url, declaration: agent.declaration }
  const { signal, ...rest } = connection
  return { url, declaration: await readAbout(url, { ...rest, ...(signal === undefined ? {} : { signal }) }) }
}

/**
 * The named capability of a declaration.
 *
 * @throws {CapabilityError} with the message that the agent would send (D21), without a request
 */
export function findCapability(declaration: Declaration, name: string): Capability {
  const { capabilities } = declaration
  const capability = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined
  if (capability !== undefined) return capability
  const available = Object.keys(capabilities).join(', ')
  throw new CapabilityError(`Unknown capability "${name}". Available: ${available}`)
}
