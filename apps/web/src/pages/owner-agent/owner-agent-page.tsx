import { type ReactNode, useState } from 'react'
import { DaysSwitch } from '../../owner/days-switch.tsx'
import { DeregisterSection } from '../../owner/deregister/deregister-section.tsx'
import { Figures } from '../../owner/figures.tsx'
import { LatestJobs } from '../../owner/latest-jobs.tsx'
import { AgentNow } from '../../owner/agents/agents-table.tsx'
import { Notices } from '../../owner/agents/notices.tsx'
import { EarningsSection } from '../../owner/plot/earnings-section.tsx'
import { stackEarnings } from '../../owner/plot/stack-earnings.ts'
import { WebhookPanel, WebhookPurpose } from '../../owner/webhook/webhook-panel.tsx'
import { FindJob } from '../../owner/find-job.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Standing } from '../../parts/standing.tsx'
import { Words } from '../../parts/words.tsx'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { SignInGate } from '../../session/sign-in-gate.tsx'
import type { PageModule } from '../../site/page.ts'
import { CapabilityTable } from './capability-table.tsx'
import { HealthSection } from './health-section.tsx'
import { loadOwnerAgent, readAgentIdParam, type OwnerAgentData } from './load-owner-agent.ts'
import { agentCategories, type AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import { CATEGORY_WORDS } from '../../format/category.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'

/** One agent, for its owner. Data: null when the reader is signed out. */
export const page: PageModule<OwnerAgentData | null> = {
  load: async ({ params, query, ask }) => {
    const agentId = readAgentIdParam(params)
    return await loadSignedIn(async () => await loadOwnerAgent(ask, agentId, query))
  },
  head: data => ({ title: data === null ? 'Your agent' : data.agent.name, personal: true }),
  Page: ({ data }) =>
    data === null ? (
      <SignInGate
        title="Your agent"
        lede="Sign in with the wallet that owns this agent to see its figures, hourly health, jobs, and webhook."
        why="Only the owner of this agent can open this page."
        hint="Use the wallet that owns this agent."
      />
    ) : (
      <OwnerAgentPage data={data} />
    ),
}

function OwnerAgentPage({ data }: { readonly data: OwnerAgentData }): ReactNode {
  const { days, owner, origin, agent, dashboard, overview, health, webhook, jobs, stakeWei } = data
  const { agent_id: agentId } = agent
  const isOfAgent = (one: { readonly agent_id: number }): boolean => one.agent_id === agentId
  const isGone = agent.standing === 'deregistered'
  return (
    <main id="main" className="page near">
      <p className="crumb">
        <a href="/owner">Your agents</a> / No. {agentId}
      </p>
      <div className="head">
        <OwnAgentTitle agent={agent} health={health} isGone={isGone} />
        <DaysSwitch days={days} path={`/owner/agents/${agentId}`} />
      </div>
      <Notices notices={overview?.notices.filter(isOfAgent) ?? []} isOwnPage />
      <Figures of={dashboard} />
      {overview !== null && (
        <EarningsSection earnings={stackEarnings(overview.series.filter(isOfAgent), overview, new Map())} />
      )}
      <HealthSection agentId={agentId} health={health} hours={dashboard.health} isGone={isGone} />
      <CapabilityTable capabilities={dashboard.capabilities} days={days} />
      <section>
        <div className="two">
          <div>
            <LatestJobs jobs={jobs.jobs} url={`/owner/agents/${agentId}/jobs`} />
            <FindJob action={`/owner/agents/${agentId}/jobs`} name="job_id" value="" />
          </div>
          <div id="webhook">
            <Heading look="ruled">Webhook</Heading>
            <WebhookPurpose />
            <WebhookPanel agentId={agentId} webhook={webhook} />
          </div>
        </div>
      </section>
      {!isGone && <DeregisterSection agentId={agentId} owner={owner} origin={origin} stakeWei={stakeWei} />}
    </main>
  )
}

/** The name of the agent, its current state, and the category that its owner has chosen. */
function OwnAgentTitle(
  props: Pick<OwnerAgentData, 'agent' | 'health'> & { readonly isGone: boolean },
): ReactNode {
  const { agent, health, isGone } = props
  return (
    <div>
      <h1>
        <Words of={agent.name} most={64} />
      </h1>
      <p className="agent-line">
        <AgentNow
          agent={{
            standing: agent.standing,
            availability: health?.availability ?? 'waiting',
            consecutive_failures: health?.consecutive_failures ?? 0,
            checked_at: health?.checked_at ?? null,
          }}
        />
        <Standing badge={agent.badge} />
        {agent.endpoint !== null && <span className="mono small">{agent.endpoint}</span>}
        {!isGone && <a href={`/agents/${agent.agent_id}`}>Public page</a>}
      </p>
      {!isGone && (
        <p className="agent-line">
          <CategoryChoice agentId={agent.agent_id} category={agent.category} />
        </p>
      )}
    </div>
  )
}

/** Selects the category of an agent. A selection is saved at once, and is not shown as chosen if saving fails. */
function CategoryChoice(props: {
  readonly agentId: number
  readonly category: AgentCategory | null
}): ReactNode {
  const { agentId } = props
  const { ask } = useSite()
  const [category, setCategory] = useState(props.category)
  const [isSaved, setSaved] = useState(false)
  const saving = useAction(async (_left, value: string) => {
    setSaved(false)
    const chosen = agentCategories.find(one => one === value) ?? null
    setCategory(chosen)
    try {
      const body = { category: chosen }
      const saved = await ask(`/v1/me/agents/${agentId}/category`, answers.chosenCategory, {
        method: 'PUT',
        body,
      })
      setCategory(saved.category)
    } catch (error) {
      setCategory(category)
      throw error
    }
    return () => setSaved(true)
  })
  return (
    <span className="category-choice">
      <label htmlFor="category" className="quiet">
        Category
      </label>{' '}
      <select
        id="category"
        className="input"
        value={category ?? ''}
        disabled={saving.state === 'busy'}
        onChange={event => saving.act(event.target.value)}
      >
        <option value="">none</option>
        {agentCategories.map(one => (
          <option key={one} value={one}>
            {CATEGORY_WORDS[one]}
          </option>
        ))}
      </select>{' '}
      <span role="status" className={saving.state === 'failed' ? 'bad' : 'good'}>
        {saving.state === 'failed' ? `Not saved. ${saving.sentence}` : isSaved && 'Saved.'}
      </span>
    </span>
  )
}
