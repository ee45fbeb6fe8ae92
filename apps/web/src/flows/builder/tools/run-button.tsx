import type { ReactNode } from 'react'
import { groupDigits } from '../../../format/amount.ts'
import { useFlowView } from '../../editor/use-editor.ts'

/** The one button after which money can move. */
export function RunButton({
  run,
  isWide = false,
}: {
  readonly run: () => void
  readonly isWide?: boolean
}): ReactNode {
  const isReady = useFlowView(({ check }) => check.ok)
  const most = useFlowView(({ check }) => check.price.at_most)
  return (
    <button
      type="button"
      className={`button ${isReady ? 'fare' : 'tall'} ${isWide ? 'wide' : ''}`}
      aria-disabled={!isReady}
      onClick={() => isReady && run()}
    >
      Run, {groupDigits(most)} USDC
    </button>
  )
}
