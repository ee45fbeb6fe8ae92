import { usePurse } from '../purse/purse-context.ts'
import { answers } from '../site/answers.ts'
import { useAsk } from '../site/question.ts'
import { useSite } from '../site/site.ts'
import { readSpendDeclaration, type SpendDeclaration } from './spend-declaration.ts'
import { findCover, permissionsOf, type Cover } from './find-cover.ts'
import { useLimits } from './use-limits.ts'

/** The tokens that a capability moves in addition to its price, and whether they are permitted. */
export interface SpendCover {
  readonly declared: SpendDeclaration
  /** Undefined when there is no wallet, or when its limits have not been read yet. */
  readonly cover: Cover | undefined
}

/**
 * Whether a permission covers the declared spending of a capability. Undefined when the capability declares none, or when
 * the contract is not on this chain; the page then shows nothing about limits (PERM-06).
 */
export function useCover(asked: {
  readonly agentId: number
  readonly capability: string
  /** The permissions of the declaration, as returned by the API. */
  readonly permissions: readonly { readonly [key: string]: unknown }[]
}): SpendCover | undefined {
  const { platform } = useSite()
  const { wallet } = usePurse()
  const { agentId, capability, permissions } = asked
  const declared = platform.spend_permissions_address === null ? undefined : readSpendDeclaration(permissions)
  const isAsked = declared !== undefined
  const { limits } = useLimits(isAsked ? wallet?.address : undefined)
  // The spender is requested only if a permission exists, because each request calls the agent.
  const isPermitted = limits !== undefined && permissionsOf(limits, agentId, capability).length > 0
  const path = isPermitted ? `/v1/agents/${agentId}/spender` : undefined
  const { answer: named } = useAsk(path, answers.agentSpender)
  if (declared === undefined) return undefined
  return { declared, cover: limits && findCover(limits, agentId, capability, named?.spender) }
}
