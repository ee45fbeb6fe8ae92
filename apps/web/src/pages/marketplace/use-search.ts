import type { FoundAgent, SearchAnswer } from '@farebox/platform-api/search'
import { useCallback, useEffect, useRef, useState } from 'react'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import { useSite } from '../../site/site.ts'
import { searchPath, searchUrl, type Search } from './search-query.ts'

/** After this long without a key, the search is asked. */
const TYPING_MS = 120

/** What is found, as far as it was asked for. */
export interface Rows {
  readonly agents: readonly FoundAgent[]
  readonly next: string | null
  readonly total: SearchAnswer['total']
}

/** A search that is being typed. */
export interface SearchState {
  readonly search: Search
  readonly rows: Rows
  /** A newer answer is on its way; the rows shown are those before. */
  readonly isWaiting: boolean
  readonly failure: unknown
  /** Asks for something else: at once, or when typing pauses. */
  readonly change: (search: Search, when?: 'now' | 'typing') => void
  readonly more: () => void
  readonly again: () => void
}

/** Asks as is typed: each answer replaces the one before, whose question is aborted; the address follows. */
export function useSearch(firstSearch: Search, firstFound: SearchAnswer): SearchState {
  const { ask } = useSite()
  const { replace } = useNavigation()
  const [search, setSearch] = useState(firstSearch)
  const [rows, setRows] = useState(() => readRows(firstFound))
  const [isWaiting, setWaiting] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const asked = useRef<AbortController>(undefined)
  useEffect(() => () => asked.current?.abort(), [])

  const put = useCallback(
    (path: string, read: (found: SearchAnswer) => Rows, delayMs: number) => {
      asked.current?.abort()
      const controller = new AbortController()
      asked.current = controller
      setWaiting(true)
      const timer = setTimeout(() => {
        ask(path, answers.search, { signal: controller.signal }).then(
          found => {
            setRows(read(found))
            setFailure(undefined)
            setWaiting(false)
          },
          (error: unknown) => {
            if (controller.signal.aborted) return
            setFailure(error)
            setWaiting(false)
          },
        )
      }, delayMs)
      controller.signal.addEventListener('abort', () => clearTimeout(timer))
    },
    [ask],
  )

  const change = (changed: Search, when: 'now' | 'typing' = 'now'): void => {
    setSearch(changed)
    replace(searchUrl(changed))
    put(searchPath(changed), readRows, when === 'typing' ? TYPING_MS : 0)
  }
  const more = (): void => {
    const { next, total } = rows
    if (next === null) return
    const join = (found: SearchAnswer): Rows => ({
      ...readRows(found),
      total,
      agents: [...rows.agents, ...found.agents],
    })
    put(searchPath(search, next), join, 0)
  }
  const again = (): void => put(searchPath(search), readRows, 0)
  return { search, rows, isWaiting, failure, change, more, again }
}

function readRows({ agents, next_cursor, total }: SearchAnswer): Rows {
  return { agents, next: next_cursor, total }
}
