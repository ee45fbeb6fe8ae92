import type { Me, OwnedAgents, Sessions } from '@farebox/platform-api/owners'
import type { Webhook } from '@farebox/platform-api/monitor'
import type { ReactNode } from 'react'
import { askWebhook } from '../../owner/read-parts.ts'
import { WebhookPanel, WebhookPurpose } from '../../owner/webhook/webhook-panel.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Words } from '../../parts/words.tsx'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { SignedInLine } from '../../session/signed-in-line.tsx'
import { SignInButton } from '../../session/sign-in-button.tsx'
import { answers } from '../../site/answers.ts'
import type { PageModule } from '../../site/page.ts'
import { SessionsSection } from './sessions-section.tsx'
import { ThemeSection } from './theme-section.tsx'

interface Data {
  readonly me: Me
  readonly sessions: Sessions['sessions']
  readonly agents: readonly {
    readonly agent: OwnedAgents['agents'][number]
    readonly webhook: Webhook | null
  }[]
  readonly isMore: boolean
}

/** The most agents whose webhooks are shown, because each needs a request; other agents have theirs on their own pages. */
const MOST_AGENTS = 20

/** Webhooks, sessions, and the theme. Data: null when the reader is signed out; then only the theme can be chosen. */
export const page: PageModule<Data | null> = {
  load: async ({ ask }) =>
    await loadSignedIn(async () => {
      const [me, { sessions }, { agents }] = await Promise.all([
        ask('/v1/me', answers.me),
        ask('/v1/me/sessions', answers.sessions),
        ask('/v1/me/agents', answers.ownedAgents),
      ])
      const live = agents.filter(({ standing }) => standing !== 'deregistered')
      const shown = await Promise.all(
        live
          .slice(0, MOST_AGENTS)
          .map(async agent => ({ agent, webhook: await askWebhook(ask, agent.agent_id) })),
      )
      return { me, sessions, agents: shown, isMore: live.length > MOST_AGENTS }
    }),
  head: () => ({ title: 'Settings', personal: true }),
  Page: SettingsPage,
}

function SettingsPage({ data }: { readonly data: Data | null }): ReactNode {
  return (
    <main id="main" className="page near">
      <p className="crumb">
        <a href="/owner">Your agents</a> / Settings
      </p>
      <h1>Settings</h1>
      {data === null ? (
        <>
          <p className="lede">Sign in to set webhooks and see where you are signed in.</p>
          <div className="row enter above">
            <SignInButton why="Only their owner can see webhooks and sessions." />
          </div>
        </>
      ) : (
        <SignedInLine address={data.me.address} />
      )}
      <ThemeSection />
      {data !== null && (
        <>
          <Webhooks agents={data.agents} isMore={data.isMore} />
          <SessionsSection sessions={data.sessions} />
        </>
      )}
    </main>
  )
}

function Webhooks({ agents, isMore }: Pick<Data, 'agents' | 'isMore'>): ReactNode {
  return (
    <section id="webhooks">
      <Heading look="ruled">Webhooks</Heading>
      <WebhookPurpose />
      {agents.length === 0 && (
        <p className="nothing faint">Each webhook is for one agent, and you do not have any agents here.</p>
      )}
      <ul className="webhooks">
        {agents.map(({ agent, webhook }) => (
          <li key={agent.agent_id}>
            <h3>
              <a href={`/owner/agents/${agent.agent_id}`}>
                <Words of={agent.name} most={64} />
              </a>{' '}
              <span className="faint small">No. {agent.agent_id}</span>
            </h3>
            <WebhookPanel agentId={agent.agent_id} webhook={webhook} />
          </li>
        ))}
      </ul>
      {isMore && (
        <p className="hint">
          This page shows your first {MOST_AGENTS} agents. Set webhooks for the others on their own pages.
        </p>
      )}
    </section>
  )
}
