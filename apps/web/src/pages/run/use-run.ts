import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import { useCallback, useEffect, useRef } from 'react'
import type { OpenedRun } from '../../flows/runs/open-run.ts'
import { usePurse } from '../../purse/purse-context.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'

/** Longer than the platform serves a cached balance. */
const BALANCE_KEPT_MS = 1_500

/** Opens a run, and follows it while the component is mounted. */
export function useRun(runId: string): {
  /** Undefined while it is being opened. */
  readonly opened: OpenedRun | undefined
  readonly failure: unknown
  /** Shows the answer of a route that changed the run, and follows the run again if following had ended. */
  readonly show: (run: RunAnswer) => void
} {
  const { ask } = useSite()
  const { refresh } = usePurse()
  // Kept in a ref, because the token is removed from the address once it is read.
  const given = useRef<string>(undefined)
  const {
    answer: opened,
    failure,
    again,
    change,
  } = useRead<OpenedRun>(runId, async (signal, give) => {
    given.current ??= takeToken()
    const { openRun } = await import('../../flows/runs/open-run.ts')
    await openRun(ask, { runId, given: given.current }, give, signal)
    return undefined
  })
  const paid = opened?.run?.paid
  useEffect(() => {
    if (paid === undefined || paid === '0') return undefined
    refresh()
    // The first answer may still be the balance from before the payment.
    const timer = setTimeout(refresh, BALANCE_KEPT_MS)
    return () => clearTimeout(timer)
  }, [paid, refresh])
  const show = useCallback(
    (run: RunAnswer): void => {
      change(known => ({ ...known, run }))
      void again()
    },
    [change, again],
  )
  return { opened, failure, show }
}

/** Reads the token in the address, and removes it from the address bar. */
function takeToken(): string | undefined {
  const token = /^#t=([\w.~-]{1,128})$/.exec(location.hash)?.[1]
  if (location.hash.startsWith('#t='))
    history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
