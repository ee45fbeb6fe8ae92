import type { DashboardAgent } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { Words } from '../../parts/words.tsx'

/** The name of an agent, linked to its page, and its number. */
export function AgentName(props: { readonly agent: Pick<DashboardAgent, 'agent_id' | 'name'> }): ReactNode {
  const { agent_id: id, name } = props.agent
  return (
    <>
      <a className="plain" href={`/owner/agents/${id}`}>
        <Words of={name} most={64} />
      </a>{' '}
      <span className="faint small nowrap">No. {id}</span>
    </>
  )
}
