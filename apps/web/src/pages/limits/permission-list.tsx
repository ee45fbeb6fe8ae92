import type { SpendPermissionView, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import { formatDay } from '../../format/time.ts'
import { limitUrl } from '../../limits/find-cover.ts'
import type { Change } from '../../limits/use-change.ts'
import { Heading } from '../../parts/page/heading.tsx'
import { useZone } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { PermissionRow } from './permission-row.tsx'
import { readSpendDeclaration } from '../../limits/spend-declaration.ts'
import { answers } from '../../site/answers.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'

/** All permissions: live ones expanded, the others collapsed below. */
export function PermissionList({
  limits,
  change,
}: {
  readonly limits: WalletLimits
  readonly change: Change
}): ReactNode {
  const open = limits.permissions.filter(({ state }) => state === 'active' || state === 'used-up')
  const over = limits.permissions.filter(({ state }) => state === 'expired' || state === 'revoked')
  const reasons = useReasons(open)
  return (
    <section>
      <Heading look="ruled" end={open.length > 0 && 'changes apply from the next block'}>
        {open.length === 0
          ? 'No active permissions'
          : open.length === 1
            ? '1 permission'
            : `${open.length} permissions`}
      </Heading>
      <ul>
        {open.map(permission => (
          <PermissionRow
            key={permission.id}
            permission={permission}
            reason={reasons.get(`${permission.agent_id} ${permission.capability}`)}
            limits={limits}
            change={change}
          />
        ))}
      </ul>
      {over.length > 0 && (
        <details className="over-permissions" open={open.length === 0}>
          <summary>{`${over.length} expired or revoked`}</summary>
          <ul className="above">
            {over.map(permission => (
              <OverRow key={permission.id} permission={permission} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function OverRow({ permission }: { readonly permission: SpendPermissionView }): ReactNode {
  const { agent_id: id, agent_name: name, capability, spent, cap } = permission
  const zone = useZone()
  const { state, revoked_at: revoked, expires_at: end } = permission
  return (
    <li className="row small">
      <b>
        <Words of={name ?? `Agent ${id}`} most={64} />
      </b>
      <span className="mono quiet">
        <Words of={capability} most={64} />
      </span>
      <span className="tag">
        {state === 'revoked'
          ? `revoked${revoked === null ? '' : ` ${formatDay(revoked, zone)}`}`
          : `ended ${formatDay(end, zone)}`}
      </span>
      <span className="quiet end">
        {withCents(spent)} of {withCents(cap)} spent
        {name !== null && (
          <>
            {' · '}
            <a href={limitUrl(Number(id), capability)}>Set again</a>
          </>
        )}
      </span>
    </li>
  )
}

/** The most agents whose declarations are requested. */
const MOST_AGENTS = 20

/** Why capabilities move tokens, in the words of their agents, by agent and capability, as far as they are known. */
function useReasons(
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
          const spend = readSpendDeclaration(declared)
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
