import type { Webhook } from '@farebox/platform-api/monitor'
import type { DashboardAgent } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { LastDelivery } from '../../owner/webhook/last-delivery.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Words } from '../../parts/words.tsx'

/** The webhooks of an owner's agents, each with its newest delivery. */
export function Webhooks(props: {
  readonly webhooks: readonly Webhook[]
  readonly agents: readonly Pick<DashboardAgent, 'agent_id' | 'name'>[]
}): ReactNode {
  const { webhooks, agents } = props
  const names = new Map(agents.map(({ agent_id: id, name }) => [id, name]))
  return (
    <div className="beneath">
      <Heading look="ruled" end={<a href="/owner/settings#webhooks">Change</a>}>
        Webhooks
      </Heading>
      {webhooks.length === 0 ? (
        <p className="nothing quiet small">
          No webhooks set. Set one to be notified when an agent fails three checks in a row, goes offline, or
          comes back online.
        </p>
      ) : (
        <ul className="plain-list">
          {webhooks.map(webhook => (
            <li key={webhook.agent_id} className="small">
              <span>
                <a href={`/owner/agents/${webhook.agent_id}#webhook`}>
                  <Words of={names.get(webhook.agent_id) ?? `No. ${webhook.agent_id}`} most={64} />
                </a>{' '}
                <span className="mono">{webhook.url}</span>
              </span>
              <span className="quiet">
                <LastDelivery of={webhook.last_delivery} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
