import type { SpendPermissionView } from '@farebox/platform-api/limits/wallet-limits'
import { declaredSpend } from '../../limits/declared-spend.ts'
import { answers } from '../../site/answers.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'

/** So many agents are asked for their declarations. */
const MOST_AGENTS = 20

/** Why capabilities move tokens, in their agents' words: by agent and capability, as far as they are known. */
export function useReasons(
  permissions: readonly Pick<SpendPermissionView, 'agent_id' | 'agent_name'>[],
): ReadonlyMap<string, string> {
  const { ask } = useSite()
  const known = permissions.filter(({ agent_name: name }) => name !== null)
  const ids = [...new Set(known.map(({ agent_id: id }) => id))].slice(0, MOST_AGENTS)
  const { answer } = useRead(
    ids.join(','),
    async signal => {
      const reasons = ids.map(async id => {
        const agent = await ask(`/v1/agents/${id}`, answers.agentPage, { signal }).catch(() => undefined)
        return (agent?.capabilities ?? []).flatMap(({ name, permissions: declared }) => {
          const spend = declaredSpend(declared)
          return spend === undefined ? [] : [[`${id} ${name}`, spend.reason] as const]
        })
      })
      return new Map((await Promise.all(reasons)).flat())
    },
    { keeps: true },
  )
  return answer ?? NONE
}

const NONE: ReadonlyMap<string, string> = new Map()
