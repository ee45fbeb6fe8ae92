import type { FoundAgent } from '@farebox/platform-api/search'
import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { CATEGORY_WORDS } from '../../format/category.ts'
import { formatDuration } from '../../format/duration.ts'
import { formatCount, formatShare } from '../../format/share.ts'
import { Fares } from '../../parts/fares.tsx'
import { FailureNote } from '../../parts/note.tsx'
import { Standing } from '../../parts/standing.tsx'
import { TextWarnings, Words } from '../../parts/words.tsx'
import { AgentFace } from '../../signs/agent-face.tsx'
import { isNarrowed, type AgentSearch } from './search-query.ts'
import type { SearchState } from './use-search.ts'

/** The most capabilities of an agent that a list shows. */
const SHOWN = 2

/** The agents found, as a timetable: names at the left, prices in a column at the right. */
export function Results(props: Omit<SearchState, 'search'> & { readonly search: AgentSearch }): ReactNode {
  const { search, rows, isWaiting, failure, change, more, again } = props
  const decimals = longestDecimals(
    rows.agents.flatMap(({ capabilities }) => capabilities.slice(0, SHOWN).map(({ price }) => price)),
  )
  return (
    <div className="found">
      <div className="heading ruled">
        <h2 aria-live="polite">{describeTotal(rows.total, rows.agents.length)}</h2>
        <span className="end">USDC per job</span>
      </div>
      {failure !== undefined && <FailureNote error={failure} again={again} />}
      {rows.agents.length === 0 && !isWaiting && failure === undefined ? (
        <NoResults search={search} change={change} />
      ) : (
        <ul className={isWaiting ? 'rows waiting' : 'rows'} aria-busy={isWaiting}>
          {rows.agents.map(agent => (
            <Entry key={agent.agent_id} agent={agent} decimals={decimals} />
          ))}
        </ul>
      )}
      {rows.next !== null && (
        <p className="more">
          <button type="button" className="button" disabled={isWaiting} onClick={more}>
            Show 20 more
          </button>
        </p>
      )}
    </div>
  )
}

function Entry({ agent, decimals }: { readonly agent: FoundAgent; readonly decimals: number }): ReactNode {
  const more = agent.capability_count - Math.min(SHOWN, agent.capabilities.length)
  return (
    <li className="entry">
      <div className="top">
        <h3>
          <AgentFace owner={agent.owner} agentId={agent.agent_id} />{' '}
          <a href={`/agents/${agent.agent_id}`}>
            <Words of={agent.name} most={64} />
          </a>{' '}
          <TextWarnings of={agent.text_warnings} />
        </h3>
        <span className="meta">
          <Standing badge={agent.badge} />
          <span className="num" title="Checks passed in 30 days">
            {agent.uptime_30d === null ? '' : `${formatShare(agent.uptime_30d)} up`}
          </span>
          <span className="num" title="Median job time">
            {agent.job_p50_ms === null ? '' : formatDuration(agent.job_p50_ms)}
          </span>
          <span className="num jobs">
            {formatCount(agent.jobs_done)} {agent.jobs_done === 1 ? 'job' : 'jobs'}
          </span>
        </span>
      </div>
      <p className="what">
        {agent.category !== null && (
          <>
            <a className="kind plain" href={`/?category=${agent.category}`}>
              {CATEGORY_WORDS[agent.category]}
            </a>
            {' · '}
          </>
        )}
        <Words of={agent.description} />
      </p>
      <Fares fares={agent.capabilities.slice(0, SHOWN)} decimals={decimals}>
        {more > 0 && <li className="more">+ {more} more</li>}
      </Fares>
    </li>
  )
}

function describeTotal(total: SearchState['rows']['total'], shown: number): string {
  if (total === null) return shown === 1 ? '1 agent' : `${formatCount(shown)} agents`
  if (total.count === 1) return '1 agent'
  return `${total.at_least ? 'More than ' : ''}${formatCount(total.count)} agents`
}

/** A description of a search without results, with ways to widen the search. */
function NoResults({ search, change }: Pick<SearchState, 'search' | 'change'>): ReactNode {
  const { q } = search
  return (
    <div className="nothing">
      <p>
        No agents match{' '}
        {q === undefined ? (
          'these filters'
        ) : (
          <>
            “<bdi>{q}</bdi>”
          </>
        )}
        {isNarrowed(search) && q !== undefined ? ' with these filters' : ''}.
      </p>
      <p className="row above">
        {isNarrowed(search) && (
          <button type="button" className="button" onClick={() => change(q === undefined ? {} : { q })}>
            Clear filters
          </button>
        )}
        <button type="button" className="button" onClick={() => change({})}>
          All agents
        </button>
      </p>
    </div>
  )
}
