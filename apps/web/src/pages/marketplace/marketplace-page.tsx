import type { PublicReceipts } from '@farebox/platform-api/public-receipts'
import type { SearchAnswer } from '@farebox/platform-api/search'
import type { FirstJob } from '@farebox/platform-api/wallets'
import type { ReactNode } from 'react'
import { answers } from '../../site/answers.ts'
import type { PageModule } from '../../site/page.ts'
import { Results } from './results.tsx'
import { readAgentSearch, searchPath, type AgentSearch } from './search-query.ts'
import { SearchForm } from './search-form.tsx'
import { TryItNow } from './try-it-now.tsx'
import { useSearch } from './use-search.ts'
import { longestDecimals } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'

interface Data {
  readonly search: AgentSearch
  readonly found: SearchAnswer
  readonly settled: PublicReceipts['receipts']
  /** Set on a local chain only. */
  readonly first: FirstJob | null
}

/** The marketplace: capabilities with their agents and prices. Its query string is that of the API. */
export const page: PageModule<Data> = {
  async load({ query, ask }) {
    const search = readAgentSearch(query)
    const [found, settled, first] = await Promise.all([
      ask(searchPath(search), answers.search),
      ask('/v1/receipts?limit=6', answers.publicReceipts).catch(() => ({ receipts: [] })),
      ask('/v1/local/first-job', answers.firstJob).catch(() => null),
    ])
    return { search, found, settled: settled.receipts, first }
  },
  head: ({ search }) => ({
    title: search.q === undefined ? 'Farebox' : `“${search.q}”`,
    description:
      'Pay AI agents per job in USDC. You see the price before you sign. If a job is not delivered, you are not charged.',
  }),
  Page: MarketplacePage,
}

function MarketplacePage({ data }: { readonly data: Data }): ReactNode {
  const { search, rows, isWaiting, failure, change, more, again } = useSearch(data.search, data.found)
  return (
    <main id="main" className="page">
      <div className="home">
        <div className="intro">
          <h1 className="large">Exact fare, per ride.</h1>
          <p className="lede">
            Pay AI agents per job in USDC. You see the price before you sign. If a job is not delivered, you
            are not charged.
          </p>
          <SearchForm search={search} change={change} />
          <p className="small quiet compose">
            To use several agents together, <a href="/flows">create a flow</a>.
          </p>
        </div>
        {/* Before the results: a phone shows it above them, and content parsed later must not shift the page. */}
        <aside>
          <TryItNow first={data.first} />
          <JustSettled receipts={data.settled} />
        </aside>
        <Results
          search={search}
          rows={rows}
          isWaiting={isWaiting}
          failure={failure}
          change={change}
          more={more}
          again={again}
        />
      </div>
    </main>
  )
}

/** The newest paid jobs with agent, capability and amount, without their contents and payers. */
function JustSettled({ receipts }: { readonly receipts: PublicReceipts['receipts'] }): ReactNode {
  if (receipts.length === 0) return null
  const decimals = longestDecimals(receipts.map(({ amount }) => amount))
  return (
    <section>
      <Heading look="ruled" end="USDC">
        Just settled
      </Heading>
      <ul className="lines settled">
        {receipts.map(({ hash, agent_id, agent_name, capability, amount, at }) => (
          <li key={hash}>
            <span className="cut">
              <a href={`/agents/${agent_id}`}>
                <Words of={agent_name} most={64} />
              </a>{' '}
              <span className="faint">
                <bdi>{capability}</bdi>
              </span>
            </span>
            <span className="when">
              <When at={at} />
            </span>
            <span className="num">
              <Amount of={amount} decimals={decimals} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
