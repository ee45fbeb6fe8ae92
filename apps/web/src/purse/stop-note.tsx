import type { ReactNode } from 'react'
import type { StopReason } from '../orders/explain-stop.ts'
import { Note } from '../parts/note.tsx'
import { FundButton } from './fund-button.tsx'
import { usePurse } from './purse-context.ts'

/** Why nothing was sent. If the wallet cannot pay, it also offers test money and another wallet. */
export function StopNote(props: {
  readonly stop: StopReason
  /** Called once the wallet has received test money. */
  readonly funded?: () => void
}): ReactNode {
  const { stop, funded } = props
  const { chooseOther, fund } = usePurse()
  return (
    <Note tone={stop.tone} alert>
      <p>{stop.sentence}</p>
      {stop.isShort === true && (
        <p className="acts">
          {fund !== undefined && <FundButton fund={fund} {...(funded !== undefined && { done: funded })} />}
          <button type="button" className="button" onClick={chooseOther}>
            Use another wallet
          </button>
        </p>
      )}
    </Note>
  )
}
