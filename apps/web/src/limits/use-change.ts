import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { useState } from 'react'
import { usePurse } from '../purse/purse-context.ts'
import { useAction } from '../site/action.ts'
import { useSite } from '../site/site.ts'
import type { LimitChange } from './plan-change.ts'
import type { ReadLimits } from './use-limits.ts'

/** The progress of a change of limits. `what` names the change, so that a page shows it at its start. */
export type ChangeState =
  | { readonly step: 'idle' }
  | {
      readonly step: 'sending'
      readonly what: string
      readonly words: string
      readonly transaction?: string
    }
  | { readonly step: 'stopped'; readonly what: string; readonly sentence: string }
  | { readonly step: 'done'; readonly what: string }

/** The changes of limits that a page makes, one at a time across all tabs. */
export interface Change {
  readonly state: ChangeState
  readonly start: (what: string, limits: WalletLimits, change: LimitChange) => void
}

const LOCK = 'farebox-limits'

/** Has the wallet make changes, and reads the limits again once the changes are in a block. */
export function useChange(refresh: ReadLimits['refresh'], done?: () => void): Change {
  const { platform } = useSite()
  const { wallet, refresh: refreshPurse } = usePurse()
  const [state, setState] = useState<ChangeState>({ step: 'idle' })
  const { act: start } = useAction(async (_left, what: string, limits: WalletLimits, change: LimitChange) => {
    if (wallet === undefined) return
    const report = (words: string, transaction?: string): void =>
      setState({ step: 'sending', what, words, ...(transaction !== undefined && { transaction }) })
    report('Opening the wallet')
    const { sendChange, explainLimitChange } = await import('./send-change.ts')
    try {
      await navigator.locks.request(LOCK, { ifAvailable: true }, async lock => {
        if (lock === null) {
          const sentence = 'Another tab is changing limits. Finish there first.'
          return setState({ step: 'stopped', what, sentence })
        }
        const block = await sendChange({ wallet, platform, limits, report }, change)
        await refresh(block)
        refreshPurse()
        setState({ step: 'done', what })
        done?.()
      })
    } catch (error) {
      // Some of the transactions may be in a block.
      await refresh()
      setState({ step: 'stopped', what, sentence: explainLimitChange(error) })
    }
  })
  return { state, start }
}
