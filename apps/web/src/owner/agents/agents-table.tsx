import type { DashboardAgent } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { Now, Standing } from '../../parts/standing.tsx'
import { Table } from '../../parts/table.tsx'
import { HourStrip } from '../hour-strip.tsx'
import { AgentName } from './agent-name.tsx'
import { workColumns } from './work-columns.tsx'

/** The agents of an owner: the current state of each, its checks of the last seven days, its jobs and its earnings. */
export function AgentsTable(props: {
  readonly agents: readonly DashboardAgent[]
  readonly now: number
}): ReactNode {
  const { agents, now } = props
  const { jobs, delivered, duration, earned } = workColumns(agents)
  return (
    <Table
      scrollsAs="Agents"
      className="owner-agents"
      rows={agents}
      keyOf={agent => agent.agent_id}
      columns={[
        { head: 'Agent', look: 'title', cell: agent => <AgentName agent={agent} /> },
        { head: 'Status', className: 'nowrap', cell: agent => <AgentNow agent={agent} /> },
        { head: 'Badge', cell: agent => <Standing badge={agent.badge} /> },
        { head: '7 days, hourly', cell: agent => <HourStrip hours={agent.hours} now={now} /> },
        jobs,
        delivered,
        duration,
        earned,
      ]}
    />
  )
}

/** The current state of an agent; if it is not listed, its listing status is shown instead. */
export function AgentNow(props: {
  readonly agent: Pick<DashboardAgent, 'standing' | 'availability' | 'consecutive_failures' | 'checked_at'>
}): ReactNode {
  const { standing, availability, consecutive_failures: failures, checked_at: checkedAt } = props.agent
  const words = describeStanding(standing)
  if (words !== undefined)
    return <span className={`now ${standing === 'waiting' ? 'waiting' : 'offline'}`}>{words}</span>
  return <Now availability={availability} failures={failures} checkedAt={checkedAt} />
}

/** The listing status in a word or two; undefined for a listed agent, whose checks are more informative. */
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
