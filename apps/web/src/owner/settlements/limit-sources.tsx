import type { SettlementLimit, SettlementShare } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/share.ts'
import { Standing } from '../../parts/standing.tsx'
import { Table } from '../../parts/table.tsx'
import { Words } from '../../parts/words.tsx'
import { AgentName } from '../agents/agent-name.tsx'
import { findRaises, type Raise } from './find-raises.ts'

/** The contribution of each agent to a listed owner's limit, and the ways to raise the limit. */
export function LimitSources({
  limit,
  rule,
}: {
  readonly limit: SettlementLimit
  readonly rule: NonNullable<SettlementLimit['rule']>
}): ReactNode {
  const { made_of: shares, daily_limit: most } = limit
  const sum = shares.reduce((total, one) => total + one.settlements, 0)
  const raises = most !== null && most < rule.at_most ? findRaises(shares, rule) : []
  return (
    <>
      <h3>Limit breakdown</h3>
      <Table
        className="limit-sources"
        rows={shares}
        keyOf={share => share.agent_id}
        columns={[
          { head: 'Agent, by stake and badge', cell: share => <ShareSource share={share} /> },
          { head: 'Per day', look: 'num', cell: share => <ShareSettlements share={share} /> },
        ]}
      >
        {most !== null && sum < most && (
          <BoundRow words="Minimum with a listed agent" settlements={rule.at_least} />
        )}
        {most !== null && sum > most && <BoundRow words="Maximum per owner" settlements={most} />}
      </Table>
      {raises.length > 0 && (
        <>
          <h3>Ways to raise the limit</h3>
          <ul className="raises">
            {raises.map(raise => (
              <li key={raise.kind === 'another' ? 'another' : raise.share.agent_id}>
                <RaiseLine raise={raise} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function ShareSource({ share }: { readonly share: SettlementShare }): ReactNode {
  const { stake, badge } = share
  return (
    <>
      <AgentName agent={share} />
      <div className="small quiet">
        {stake} ETH, <Standing badge={badge} />
      </div>
    </>
  )
}

function ShareSettlements({ share }: { readonly share: SettlementShare }): ReactNode {
  const { settlements, counts_nothing: nothing } = share
  return (
    <>
      {formatCount(settlements)}
      {nothing !== null && (
        <div className="small bad">{nothing === 'offline' ? 'offline' : 'cannot be paid'}</div>
      )}
    </>
  )
}

/** The minimum or maximum of an owner's limit, if the sum of the shares is outside of these bounds. */
function BoundRow(props: { readonly words: string; readonly settlements: number }): ReactNode {
  return (
    <tr>
      <td className="quiet">{props.words}</td>
      <td className="num">{formatCount(props.settlements)}</td>
    </tr>
  )
}

function RaiseLine({ raise }: { readonly raise: Raise }): ReactNode {
  const more = <b className="num">+{formatCount(raise.more)}</b>
  if (raise.kind === 'another') {
    return (
      <>
        {more} for <a href="/register">another agent</a> with its own stake, and more once it has a badge
      </>
    )
  }
  const { share } = raise
  const name = <Words of={share.name} most={64} />
  if (raise.kind === 'back') {
    return (
      <>
        {more} <a href={`/owner/agents/${share.agent_id}`}>{name}</a>{' '}
        {share.counts_nothing === 'offline' ? 'once it is back online' : 'once it can be paid'}
      </>
    )
  }
  return (
    <>
      {more} once <a href={`/agents/${share.agent_id}`}>{name}</a> is {raise.badge}; see how on its page
    </>
  )
}
