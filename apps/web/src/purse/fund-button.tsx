import type { ReactNode } from 'react'
import { useAction } from '../site/action.ts'

/** Requests test money for the wallet, on a local chain. */
export function FundButton(props: {
  readonly fund: () => Promise<void>
  /** Called once the wallet has received it. */
  readonly done?: () => void
}): ReactNode {
  const { fund, done } = props
  const { state, act } = useAction(async () => {
    await fund()
    return done
  })
  return (
    <button type="button" className="button" disabled={state === 'busy'} onClick={act}>
      {LABELS[state]}
    </button>
  )
}

const LABELS = {
  idle: 'Get test USDC',
  busy: 'Requesting test USDC…',
  failed: 'Test USDC did not arrive. Try again',
} as const
