import { useState, type ReactNode } from 'react'

/** Gets test money for the wallet, on a local chain. */
export function FundButton(props: {
  readonly fund: () => Promise<void>
  /** Called once it is there. */
  readonly done?: () => void
}): ReactNode {
  const { fund, done } = props
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle')
  const ask = async (): Promise<void> => {
    setState('asking')
    try {
      await fund()
      setState('idle')
      done?.()
    } catch {
      setState('failed')
    }
  }
  return (
    <button type="button" className="button" disabled={state === 'asking'} onClick={() => void ask()}>
      {LABELS[state]}
    </button>
  )
}

const LABELS = {
  idle: 'Get test USDC',
  asking: 'Requesting test USDC…',
  failed: 'Test USDC did not arrive. Try again',
} as const
