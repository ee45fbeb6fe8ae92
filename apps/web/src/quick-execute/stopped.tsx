import type { ReactNode } from 'react'
import { Note } from '../parts/note.tsx'
import { FundButton } from '../purse/fund-button.tsx'
import { usePurse } from '../purse/purse-context.ts'
import type { Execution } from './use-quick-execute.ts'

/** Why nothing was sent, and where the wallet has too little a way on. */
export function Stopped(props: {
  readonly execution: Extract<Execution, { readonly step: 'stopped' }>
  readonly reset: () => void
}): ReactNode {
  const { execution, reset } = props
  const { chooseOther, fund } = usePurse()
  return (
    <Note tone={execution.tone} alert>
      <p>{execution.sentence}</p>
      {execution.isShort === true && (
        <p className="acts">
          {fund !== undefined && <FundButton fund={fund} done={reset} />}
          <button type="button" className="button" onClick={chooseOther}>
            Use another wallet
          </button>
        </p>
      )}
    </Note>
  )
}
