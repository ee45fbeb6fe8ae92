import type { FoundAgent, SearchAnswer } from '@farebox/platform-api/search'
import { useState } from 'react'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import { useAsk } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { searchPath, searchUrl, type AgentSearch } from './search-query.ts'

/** The search is sent after this long without a keystroke. */
const TYPING_MS = 120

/** The agents found, as far as they have been read. */
export interface Rows {
  readonly agents: readonly FoundAgent[]
  readonly next: string | null
  readonly total: SearchAnswer['total']
}

/** A search that the reader can edit. */
export interface SearchState {
  readonly search: AgentSearch
  readonly rows: Rows
  /** Whether a newer answer is pending; the shown rows are those of the previous search. */
  readonly isWaiting: boolean
  readonly failure: unknown
  /** Changes the search: sends it at once, or when typing pauses. */
  readonly change: (search: AgentSearch, when?: 'now' | 'typing') => void
  readonly more: () => void
  readonly again: () => void
}

/**
 * Searches while the reader types. Each answer replaces the previous one, whose request is aborted; the address is updated.
 */
export function useSearch(firstSearch: AgentSearch, first: SearchAnswer): SearchState {
  const { ask } = useSite()
  const { replace } = useNavigation()
  const [{ search, afterMs }, setAsked] = useState({ search: firstSearch, afterMs: 0 })
  const {
    answer: found = first,
    isWaiting = false,
    failure,
    ...asked
  } = useAsk(searchPath(search), answers.search, { first, keeps: true, afterMs })
  const { agents, next_cursor: next, total } = found
  const change = (changed: AgentSearch, when: 'now' | 'typing' = 'now'): void => {
    setAsked({ search: changed, afterMs: when === 'typing' ? TYPING_MS : 0 })
    replace(searchUrl(changed))
  }
  const more = (): void => {
    if (next === null) return
    asked.more(async signal => {
      const after = await ask(searchPath(search, next), answers.search, { signal })
      return { ...after, total, agents: [...agents, ...after.agents] }
    })
  }
  const again = (): void => void asked.again()
  return { search, rows: { agents, next, total }, isWaiting, failure, change, more, again }
}
