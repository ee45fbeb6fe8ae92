import { useEffect, useState } from 'react'
import { usePurse } from '../purse/purse-context.ts'
import { answers } from '../site/answers.ts'
import { useSite } from '../site/site.ts'
import { declaredSpend, type DeclaredSpend } from './declared-spend.ts'
import { findCover, permissionsOf, type Cover } from './find-cover.ts'
import { useLimits } from './use-limits.ts'

/** What a capability moves beside its price, and whether that is permitted. */
export interface SpendCover {
  readonly declared: DeclaredSpend
  /** Undefined: no wallet, or not read so far. */
  readonly cover: Cover | undefined
}

/**
 * Whether a permission covers what a capability declares. Undefined: it declares nothing, or the contract is not on this
 * chain, so that nothing of limits is shown (PERM-06).
 */
export function useCover(asked: {
  readonly agentId: number
  readonly capability: string
  /** Of the declaration, as the API has them. */
  readonly permissions: readonly { readonly [key: string]: unknown }[]
}): SpendCover | undefined {
  const { platform } = useSite()
  const { wallet } = usePurse()
  const { agentId, capability, permissions } = asked
  const declared = platform.spend_permissions_address === null ? undefined : declaredSpend(permissions)
  const isAsked = declared !== undefined
  const { limits } = useLimits(isAsked ? wallet?.address : undefined)
  // Asked only where something is permitted: each question is a call to the agent.
  const isPermitted = limits !== undefined && permissionsOf(limits, agentId, capability).length > 0
  const spender = useSpenderName(isPermitted ? agentId : undefined)
  if (declared === undefined) return undefined
  return { declared, cover: limits && findCover(limits, agentId, capability, spender) }
}

/** Who an agent says that it spends from; undefined: not known. */
function useSpenderName(agentId: number | undefined): string | undefined {
  const { ask } = useSite()
  const [spender, setSpender] = useState<string>()
  useEffect(() => {
    let isGone = false
    setSpender(undefined)
    if (agentId === undefined) return undefined
    ask(`/v1/agents/${agentId}/spender`, answers.agentSpender).then(
      answer => {
        if (!isGone) setSpender(answer.spender)
      },
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [ask, agentId])
  return spender
}
