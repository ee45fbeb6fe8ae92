import type { DashboardAgent } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { formatCount, formatShare } from '../../format/share.ts'
import { Amount } from '../../parts/amount.tsx'
import { Now, Standing } from '../../parts/standing.tsx'
import { Words } from '../../parts/words.tsx'
import { HourStrip } from '../hour-strip.tsx'
import { formatHalfAndMost } from './format-half-and-most.ts'
import { TableHead } from '../../parts/table.tsx'

/** The agents of an owner: how each is now, how its week went, what it earned. */
export function AgentsTable({
  agents,
  now,
}: {
  readonly agents: readonly DashboardAgent[]
  readonly now: number
}): ReactNode {
  const decimals = longestDecimals(agents.map(({ earned }) => earned))
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Agents">
      <table className="owner-agents">
        <TableHead
          of={[
            'Agent',
            'Status',
            'Badge',
            '7 days, hourly',
            ['Jobs', 'num'],
            ['Delivered', 'num'],
            ['p50 / p95', 'num'],
            ['Earned, USDC', 'num'],
          ]}
        />
        <tbody>
          {agents.map(agent => (
            <tr key={agent.agent_id}>
              <th scope="row">
                <a href={`/owner/agents/${agent.agent_id}`}>
                  <Words of={agent.name} most={64} />
                </a>{' '}
                <span className="faint small nowrap">No. {agent.agent_id}</span>
              </th>
              <td className="nowrap">
                <AgentNow agent={agent} />
              </td>
              <td>
                <Standing badge={agent.badge} />
              </td>
              <td>
                <HourStrip hours={agent.hours} now={now} />
              </td>
              <td className="num">{formatCount(agent.jobs.completed)}</td>
              <td className="num">
                {agent.success === null ? (
                  <span className="faint">none yet</span>
                ) : (
                  formatShare(agent.success, 1)
                )}
              </td>
              <td className="num">{formatHalfAndMost(agent.p50_ms, agent.p95_ms)}</td>
              <td className="num">
                <b>
                  <Amount of={agent.earned} decimals={decimals} />
                </b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** How an agent is now: where it is not listed, that comes first. */
export function AgentNow(props: {
  readonly agent: Pick<DashboardAgent, 'standing' | 'availability' | 'consecutive_failures' | 'checked_at'>
}): ReactNode {
  const { standing, availability, consecutive_failures: failures, checked_at: checkedAt } = props.agent
  const words = describeStanding(standing)
  if (words !== undefined)
    return <span className={`now ${standing === 'waiting' ? 'waiting' : 'offline'}`}>{words}</span>
  return <Now availability={availability} failures={failures} checkedAt={checkedAt} />
}

/** Where an agent stands, in a word or two. Undefined: it is listed, and how it answers says more. */
function describeStanding(standing: DashboardAgent['standing']): string | undefined {
  switch (standing) {
    case 'listed':
    case 'provisional':
      return undefined
    case 'waiting':
      return 'Not checked yet'
    case 'refused':
      return 'Refused'
    case 'taken-down':
      return 'Taken down'
    case 'deregistered':
      return 'Deregistered'
  }
}
