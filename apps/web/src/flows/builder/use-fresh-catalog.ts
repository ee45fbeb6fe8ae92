import { useCallback, useEffect, useState } from 'react'
import type { FlowEditor } from '../editor/flow-editor.ts'

/** So often what the agents are now is asked, while somebody looks. */
const FRESH_MS = 60_000

/** Keeps the flow held against what its agents are now. Undefined where the last answer came. */
export function useFreshCatalog({ store, catalog }: FlowEditor): { readonly again: () => void } | undefined {
  const [isStale, setStale] = useState(false)
  const ask = useCallback(() => {
    catalog.refresh(store.state().flow).then(
      () => setStale(false),
      () => setStale(true),
    )
  }, [store, catalog])
  useEffect(() => {
    let askedAt = -Infinity
    const askNow = (): void => {
      if (document.visibilityState !== 'visible' || performance.now() - askedAt < FRESH_MS / 2) return
      askedAt = performance.now()
      ask()
    }
    askNow()
    const timer = setInterval(askNow, FRESH_MS)
    document.addEventListener('visibilitychange', askNow)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', askNow)
    }
  }, [ask])
  return isStale ? { again: ask } : undefined
}
