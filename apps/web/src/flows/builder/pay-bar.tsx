import type { ReactNode } from 'react'
import { groupDigits } from '../../format/amount.ts'
import { formatSpan } from '../../format/duration.ts'
import { useFlowView } from '../editor/use-editor.ts'
import { RunButton } from './tools/run-button.tsx'
import { Mending } from './tools/tool-bar.tsx'

/** On a phone: the button that costs, in the place of the tabs. */
export function PayBar({ run }: { readonly run: () => void }): ReactNode {
  const most = useFlowView(({ check }) => check.price.at_most)
  const seconds = useFlowView(({ check }) => check.duration.seconds)
  return (
    <div className="flow-pay">
      <p className="hint centre">
        <Mending />
        <span>
          up to {groupDigits(most)} USDC{seconds > 0 && `, up to ${formatSpan(seconds)}`}
        </span>
      </p>
      <RunButton run={run} isWide />
    </div>
  )
}
