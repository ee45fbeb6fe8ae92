import type { AgentPage } from '@farebox/platform-api/agent'
import type { AgentBadge } from '@farebox/platform-api/badges'
import type { HealthDays } from '@farebox/platform-api/monitor'
import type { PublicReceipts } from '@farebox/platform-api/public-receipts'
import type { DeclarationHistory } from '@farebox/platform-api/registry'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { useState, type ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'
import { AgentFace } from '../../signs/agent-face.tsx'
import { TextWarnings, Words } from '../../parts/words.tsx'
import { QuickExecute } from '../../quick-execute/quick-execute.tsx'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { AgentFacts } from './agent-facts.tsx'
import { CapabilityTabs } from './capability-tabs.tsx'
import { ChangesAndReceipts } from './changes-and-receipts.tsx'
import { FieldTables } from './field-tables.tsx'
import { FromCode } from './from-code.tsx'
import { Reliability } from './reliability.tsx'
import { CATEGORY_WORDS } from '../../format/category.ts'
import { cutText } from '../../format/cut-text.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'

interface Data {
  readonly agent: AgentPage
  /** The capability that the address names, or else the first one. */
  readonly capability: string | null
  /** A job of this browser that the address names. */
  readonly jobId: string | null
  readonly badge: AgentBadge | null
  readonly days: HealthDays | null
  readonly history: DeclarationHistory | null
  readonly receipts: PublicReceipts['receipts']
}

/** One agent: its capabilities and prices, a form to run a job, and its record. */
export const page: PageModule<Data> = {
  async load({ params, query, ask }) {
    const path = `/v1/agents/${encodeURIComponent(params['agentId'] ?? '')}`
    const [agent, badge, days, history, receipts] = await Promise.all([
      ask(path, answers.agentPage),
      ask(`${path}/badge`, answers.agentBadge).catch(() => null),
      ask(`${path}/health/days?days=90`, answers.healthDays).catch(() => null),
      ask(`${path}/declarations?limit=6`, answers.declarationHistory).catch(() => null),
      ask(`${path}/receipts?limit=6`, answers.publicReceipts).catch(() => ({ receipts: [] })),
    ])
    const named = query.get('capability')
    const capability = agent.capabilities.find(({ name }) => name === named) ?? agent.capabilities[0]
    return {
      agent,
      capability: capability?.name ?? null,
      jobId: query.get('job'),
      badge,
      days,
      history,
      receipts: receipts.receipts,
    }
  },
  head: ({ agent }) => ({
    title: agent.name,
    description: cutText(
      `${agent.description} ${agent.capabilities
        .slice(0, 3)
        .map(({ name, price }) => `${name}: ${price} USDC`)
        .join(', ')}`,
      300,
    ),
    hidden: agent.standing !== 'listed',
  }),
  Page: AgentPageView,
}

function AgentPageView({ data }: { readonly data: Data }): ReactNode {
  const { agent, badge, days, history } = data
  const { facts, receipts, readSoon } = useFigures(data)
  const { replace } = useNavigation()
  const [chosen, setChosen] = useState(data.capability)
  const [typed, setTyped] = useState<JsonObject>({})
  const capability = agent.capabilities.find(({ name }) => name === chosen)
  const choose = (name: string): void => {
    setChosen(name)
    replace(`/agents/${agent.agent_id}?capability=${encodeURIComponent(name)}`)
  }
  return (
    <main id="main" className="page near">
      <AgentHead agent={agent} facts={facts} />
      {agent.notices
        .filter(({ kind }) => kind === 'price-risen')
        .map(notice => (
          <Note key={notice.text} tone="warn">
            <p>{notice.text}</p>
          </Note>
        ))}
      {capability === undefined ? (
        <NoDeclaration />
      ) : (
        <>
          <CapabilityTabs capabilities={agent.capabilities} chosen={capability.name} choose={choose} />
          <div id="run">
            <QuickExecute
              key={capability.name}
              agent={agent}
              capability={capability}
              jobId={chosen === data.capability ? data.jobId : null}
              paid={readSoon}
              onInput={setTyped}
            />
          </div>
          <FieldTables capability={capability} />
        </>
      )}
      <Reliability agent={agent} badge={badge} days={days} />
      <ChangesAndReceipts agentId={agent.agent_id} history={history} receipts={receipts} />
      {capability !== undefined && <FromCode agent={agent} capability={capability} typed={typed} />}
    </main>
  )
}

/** The agent's category in the list, its name, its description, and its figures. */
function AgentHead(props: {
  readonly agent: AgentPage
  /** The same agent as last read. */
  readonly facts: AgentPage
}): ReactNode {
  const { agent, facts } = props
  return (
    <>
      <p className="crumb">
        <a href="/">Agents</a> /{' '}
        {agent.category !== null && (
          <>
            <a href={`/?category=${agent.category}`}>{CATEGORY_WORDS[agent.category]}</a> /{' '}
          </>
        )}
        No. {agent.agent_id}
      </p>
      <div className="head">
        <div>
          <h1>
            <AgentFace owner={agent.owner} agentId={agent.agent_id} /> <Words of={agent.name} most={64} />
          </h1>
          <p className="lede">
            <Words of={agent.description} most={400} />
          </p>
          <p>
            <TextWarnings of={agent.text_warnings} />
          </p>
        </div>
        <AgentFacts agent={facts} />
      </div>
    </>
  )
}

function NoDeclaration(): ReactNode {
  return (
    <Note tone="info">
      <p>
        This agent does not publish a declaration at /about, so it is listed without prices and cannot be
        called here. If someone registers this endpoint and proves that they own it, the new registration will
        replace this one.
      </p>
    </Note>
  )
}

/** The platform adds a job to an agent's figures within this time. */
const COUNTED_MS = 2_500

type Receipts = PublicReceipts['receipts']

/** The figures of an agent and its newest receipts. They are read again after a job was paid on this page. */
function useFigures(given: { readonly agent: AgentPage; readonly receipts: Receipts }): {
  readonly facts: AgentPage
  readonly receipts: Receipts
  readonly readSoon: () => void
} {
  const { ask } = useSite()
  const { agent, receipts: newest } = given
  const path = `/v1/agents/${agent.agent_id}`
  const first = { facts: agent, receipts: newest }
  const { answer: { facts, receipts } = first, again } = useRead(
    path,
    async signal => {
      await sleep(systemClock, COUNTED_MS, signal)
      signal.throwIfAborted()
      const [page, list] = await Promise.all([
        ask(path, answers.agentPage, { signal }),
        ask(`${path}/receipts?limit=6`, answers.publicReceipts, { signal }),
      ])
      return { facts: page, receipts: list.receipts }
    },
    { first },
  )
  return { facts, receipts, readSoon: () => void again() }
}
