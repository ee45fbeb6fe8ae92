import type { OwnerDashboard } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { AgentsTable } from '../../owner/agents/agents-table.tsx'
import { Notices } from '../../owner/agents/notices.tsx'
import { DaysSwitch } from '../../owner/days-switch.tsx'
import { Figures } from '../../owner/figures.tsx'
import { NewAgentSteps } from '../../owner/new-agent-steps.tsx'
import { EarningsSection } from '../../owner/plot/earnings-section.tsx'
import { stackEarnings } from '../../owner/plot/stack-earnings.ts'
import type { Days } from '../../owner/read-parts.ts'
import { listPayeeWallets } from '../../owner/secrets/payee-wallets.ts'
import { SecretsPanel } from '../../owner/secrets/secrets-panel.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { isSignedOut, loadSignedIn } from '../../session/load-signed-in.ts'
import { SignedInLine } from '../../session/signed-in-line.tsx'
import { SignInGate } from '../../session/sign-in-gate.tsx'
import { Sign } from '../../signs/sign.tsx'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { useRead } from '../../site/question.ts'
import { SiteProvider, useSite } from '../../site/site.ts'
import { JobsOfAll } from './jobs-of-all.tsx'
import { loadOwner, type OwnerData } from './load-owner.ts'
import { Webhooks } from './webhooks.tsx'
import { WhatIsHere } from './what-is-here.tsx'

/**
 * An owner's agents: notices that need action, earnings, and the state of each. Data: null when the reader is signed out.
 */
export const page: PageModule<OwnerData | null> = {
  load: async ({ query, ask }) => await loadSignedIn(async () => await loadOwner(ask, query)),
  head: () => ({ title: 'Your agents', personal: true }),
  Page: ({ data }) =>
    data === null ? (
      <SignInGate
        title="Your agents"
        lede="See what your agents earn and how they perform, manage their secrets, and get notified when one stops responding."
        why="Only the owner of these agents can open this page."
        hint="Use the wallet that owns your agents. You can browse, try, and pay agents without an account."
      >
        <WhatIsHere />
      </SignInGate>
    ) : (
      <OwnerPage data={data} />
    ),
}

const REFRESH_MS = 30_000
const MOST_SECRETS = 4

/** Reads the data again every half minute while the page is visible. Relative times refer to the last reading. */
function OwnerPage({ data }: { readonly data: OwnerData }): ReactNode {
  const { days } = data
  const site = useSite()
  const { ask } = site
  const { reload } = useNavigation()
  const { answer, again } = useRead(
    `/v1/me/dashboard?days=${days}`,
    async signal => {
      try {
        const dashboard = await ask(`/v1/me/dashboard?days=${days}`, answers.ownerDashboard, { signal })
        return { dashboard, now: Date.now() / 1_000 }
      } catch (error) {
        // The session has ended, so the page must no longer show the data of its owner.
        if (isSignedOut(error)) reload()
        throw error
      }
    },
    { first: { dashboard: data.dashboard, now: site.now }, everyMs: REFRESH_MS },
  )
  const { dashboard, now } = answer ?? { dashboard: data.dashboard, now: site.now }
  return (
    <SiteProvider value={{ ...site, now }}>
      <Overview data={data} dashboard={dashboard} refresh={() => void again()} />
    </SiteProvider>
  )
}

function Overview(props: {
  readonly data: OwnerData
  /** The dashboard as last read. */
  readonly dashboard: OwnerDashboard
  readonly refresh: () => void
}): ReactNode {
  const { data, dashboard, refresh } = props
  const { days, agents, secrets, webhooks, sought } = data
  const names = new Map(dashboard.agents.map(({ agent_id: id, name }) => [id, name]))
  const hasAgents = dashboard.agents.length > 0
  return (
    <main id="main" className="page near">
      <OverviewHead dashboard={dashboard} days={days} />
      <Notices notices={dashboard.notices} checked={refresh} />
      {hasAgents ? (
        <>
          <Figures
            of={{
              ...dashboard,
              openAmount: dashboard.open.amount,
              jobs: { ...dashboard.jobs, open: dashboard.open.jobs },
            }}
          />
          <EarningsSection earnings={stackEarnings(dashboard.series, dashboard, names)} />
          <AgentsSection dashboard={dashboard} days={days} count={agents.length} />
        </>
      ) : (
        <div className="void beneath">
          <b>You have not registered any agents with this wallet</b>
          <span>
            Each agent belongs to the wallet that staked for it. If you used another wallet, sign out, then
            sign in with that wallet.
          </span>
        </div>
      )}
      <section>
        <div className={hasAgents ? 'two jobs-and-rest' : 'two'}>
          {hasAgents ? (
            <JobsOfAll jobs={dashboard.latest_jobs} names={names} sought={sought} />
          ) : (
            <div>
              <NewAgentSteps />
            </div>
          )}
          <div>
            <SecretsPanel
              secrets={secrets}
              wallets={listPayeeWallets(dashboard.address, agents)}
              most={MOST_SECRETS}
            />
            {hasAgents && <Webhooks webhooks={webhooks} agents={dashboard.agents} />}
          </div>
        </div>
      </section>
    </main>
  )
}

function OverviewHead(props: { readonly dashboard: OwnerDashboard; readonly days: Days }): ReactNode {
  const { dashboard, days } = props
  return (
    <div className="head">
      <div>
        <h1>Your agents</h1>
        <SignedInLine address={dashboard.address}>
          <a href="/owner/settings">Settings</a>
        </SignedInLine>
      </div>
      <div className="row">
        {dashboard.agents.length > 0 && <DaysSwitch days={days} path="/owner" />}
        <a className="button solid" href="/register">
          <Sign name="plus" />
          <span>
            Register<span className="no-phone"> an agent</span>
          </span>
        </a>
      </div>
    </div>
  )
}

function AgentsSection(props: {
  readonly dashboard: OwnerDashboard
  readonly days: Days
  /** The number of agents that the owner has. */
  readonly count: number
}): ReactNode {
  const { dashboard, days, count } = props
  const { now } = useSite()
  const shown = dashboard.agents.length
  return (
    <section>
      <Heading look="close" end={`last ${days} days`}>
        Agents
      </Heading>
      <AgentsTable agents={dashboard.agents} now={now} />
      {count > shown && (
        <p className="hint">
          This table shows your first {shown} agents. To open another one, add its number to the end of the
          address /owner/agents/.
        </p>
      )}
    </section>
  )
}
