import type { SettlementLimit, SettlementShare } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/share.ts'
import { Standing } from '../../parts/standing.tsx'
import { Words } from '../../parts/words.tsx'
import { findRaises, type Raise } from './find-raises.ts'
import { TableHead } from '../../parts/table.tsx'

/** What the limit of a listed owner is made of, agent by agent, and what raises it. */
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
      <table className="limit-sources">
        <TableHead of={['Agent, by stake and badge', ['Per day', 'num']]} />
        <tbody>
          {shares.map(share => (
            <ShareRow key={share.agent_id} share={share} />
          ))}
          {most !== null && sum < most && (
            <tr>
              <td className="quiet">Minimum with a listed agent</td>
              <td className="num">{formatCount(rule.at_least)}</td>
            </tr>
          )}
          {most !== null && sum > most && (
            <tr>
              <td className="quiet">Maximum per owner</td>
              <td className="num">{formatCount(most)}</td>
            </tr>
          )}
        </tbody>
      </table>
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

function ShareRow({ share }: { readonly share: SettlementShare }): ReactNode {
  const { agent_id: id, name, stake, badge, settlements, counts_nothing: nothing } = share
  return (
    <tr>
      <td>
        <a href={`/owner/agents/${id}`}>
          <Words of={name} most={64} />
        </a>{' '}
        <span className="faint small nowrap">No. {id}</span>
        <div className="small quiet">
          {stake} ETH, <Standing badge={badge} />
        </div>
      </td>
      <td className="num">
        {formatCount(settlements)}
        {nothing !== null && (
          <div className="small bad">{nothing === 'offline' ? 'offline' : 'cannot be paid'}</div>
        )}
      </td>
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
