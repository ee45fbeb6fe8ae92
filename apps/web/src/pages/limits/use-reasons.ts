import type { SpendPermissionView } from '@farebox/platform-api/limits/wallet-limits'
import { useEffect, useState } from 'react'
import { declaredSpend } from '../../limits/declared-spend.ts'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'

/** So many agents are asked for their declarations. */
const MOST_AGENTS = 20

/** Why capabilities move tokens, in their agents' words: by agent and capability, as far as they are known. */
export function useReasons(
  permissions: readonly Pick<SpendPermissionView, 'agent_id' | 'agent_name'>[],
): ReadonlyMap<string, string> {
  const { ask } = useSite()
  const [reasons, setReasons] = useState<ReadonlyMap<string, string>>(new Map())
  const known = permissions.filter(({ agent_name: name }) => name !== null)
  const ids = [...new Set(known.map(({ agent_id: id }) => id))].slice(0, MOST_AGENTS).join(',')
  useEffect(() => {
    let isGone = false
    for (const id of ids.split(',').filter(one => one !== '')) {
      ask(`/v1/agents/${id}`, answers.agentPage).then(
        ({ capabilities }) => {
          if (isGone) return
          const own = capabilities.flatMap(({ name, permissions: declared }) => {
            const spend = declaredSpend(declared)
            return spend === undefined ? [] : [[`${id} ${name}`, spend.reason] as const]
          })
          setReasons(before => new Map([...before, ...own]))
        },
        () => undefined,
      )
    }
    return () => {
      isGone = true
    }
  }, [ask, ids])
  return reasons
}
