import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { AgentMode } from '../agent/check/agent-mode.ts'
import type { Terms } from '../agent/check/terms.ts'

/** Describes how an agent accepts jobs, in words that follow its name. */
export function describeMode(agent: {
  readonly mode: AgentMode
  /** `undefined` when `/about` is not a declaration. */
  readonly declaration: Declaration | undefined
  /** `undefined` when the terms cannot be paid. */
  readonly terms: Terms | undefined
  /** `eip155:<chain id>` of a local economy, because its chain may have the id of a public one. */
  readonly localNetwork?: string | undefined
}): string {
  const { mode, terms, declaration, localNetwork } = agent
  switch (mode) {
    case 'dev':
      return 'dev mode: payments are off, every job is free'
    case 'paid':
      if (terms === undefined && declaration === undefined) return 'nobody can tell how it takes jobs'
      return terms === undefined
        ? 'paid mode, but what it asks for cannot be paid'
        : `paid mode: jobs are paid for on ${nameOf(terms, localNetwork)} (${terms.network.id})`
    case 'locked':
      return 'paid mode without its FACILITATOR_SECRET: it asks for payment and takes none'
  }
}

function nameOf({ network: { id, name } }: Terms, localNetwork: string | undefined): string {
  return id === localNetwork ? 'local chain' : name
}
