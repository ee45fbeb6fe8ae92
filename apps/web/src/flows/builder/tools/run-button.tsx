import type { ReactNode } from 'react'
import { groupDigits } from '../../../format/amount.ts'
import { formatSpan } from '../../../format/duration.ts'
import { useEditor, useFlowView } from '../../editor/use-editor.ts'

/** The button that starts a run. It is the only one in the builder after which money can move. */
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

/** On a phone, the button that starts a run, in the place of the tabs. */
export function PayBar({ run }: { readonly run: () => void }): ReactNode {
  const most = useFlowView(({ check }) => check.price.at_most)
  const seconds = useFlowView(({ check }) => check.duration.seconds)
  return (
    <div className="pay-bar flow-pay">
      <p className="hint centre">
        <ProblemsToFix />
        <span>
          up to {groupDigits(most)} USDC{seconds > 0 && `, up to ${formatSpan(seconds)}`}
        </span>
      </p>
      <RunButton run={run} isWide />
    </div>
  )
}

/** The number of errors that prevent a run; pressing it leads to the first error. */
export function ProblemsToFix(): ReactNode {
  const editor = useEditor()
  const errors = useFlowView(
    ({ check }) => check.findings.filter(({ severity, id }) => severity === 'error' && id !== 'empty').length,
  )
  if (errors === 0) return null
  return (
    <button
      type="button"
      className="link small bad mending"
      onClick={() => {
        const first = editor.live.read().check.findings.find(({ step }) => step !== undefined)
        if (first?.step !== undefined) editor.point({ step: first.step, port: first.port })
        leadToFinding()
      }}
    >
      {errors === 1 ? '1 problem to fix' : `${errors} problems to fix`}
    </button>
  )
}

/** Scrolls to the first visible error, with its repairs. */
function leadToFinding(): void {
  const found = Array.from(document.querySelectorAll<HTMLElement>('.finding.is-error')).find(one =>
    one.checkVisibility(),
  )
  found?.scrollIntoView({ block: 'center' })
  // On the canvas, the focus stays at the port itself, next to the list of repairs.
  if (found?.closest('.outline') === null) return
  found?.querySelector<HTMLElement>('.row button')?.focus({ preventScroll: true })
}
