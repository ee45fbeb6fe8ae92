import { systemClock } from '@farebox/protocol/time/clock'
import { useEffect, useState } from 'react'
import { usePurse } from '../../purse/purse-context.ts'
import { useAction } from '../../site/action.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { followDeregister } from './follow-deregister.ts'
import { explainDeregister, sendDeregister } from './send-deregister.ts'

/** The progress of an agent's deregistration. */
export type DeregisterState =
  | { readonly kind: 'idle'; readonly problem?: string }
  | { readonly kind: 'asking' }
  | { readonly kind: 'sent'; readonly transaction: string; readonly isLate: boolean }
  | { readonly kind: 'done' }

/** The deregistration of an agent, and the owner's actions on it. */
export interface Deregister {
  readonly state: DeregisterState
  /** Asks the wallet; does nothing while a request is pending. */
  readonly send: () => void
  /** Resumes following the sent transaction. */
  readonly follow: () => void
  /** Forgets the sent transaction, because the owner reports that it will not be in a block. */
  readonly forget: () => void
}

/** In the browser's storage: the transaction sent for an agent, so that following continues after a reload. */
const SENT = 'farebox-deregister-'

/** Deregisters an agent with its owner's wallet. While a sent transaction is followed, no other is sent. */
export function useDeregister(agentId: number, owner: string, sentNow: () => void): Deregister {
  const { ask, platform } = useSite()
  const { wallet, connect, refresh } = usePurse()
  const { chain_id: chainId } = platform
  const [state, setState] = useState<DeregisterState>({ kind: 'idle' })
  const key = `${SENT}${chainId}-${agentId}`
  const transaction = state.kind === 'sent' && !state.isLate ? state.transaction : undefined
  const setLate = (isLate: boolean): void =>
    setState(before => (before.kind === 'sent' ? { ...before, isLate } : before))
  const end = (next: DeregisterState): void => {
    localStorage.removeItem(key)
    setState(next)
  }

  useEffect(() => {
    const kept = localStorage.getItem(key)
    if (kept !== null) setState({ kind: 'sent', transaction: kept, isLate: false })
  }, [key])

  useRead(transaction && `${key} ${transaction} ${wallet?.address}`, async signal => {
    if (transaction === undefined) return undefined
    const sent = { agentId, owner, transaction, chainId, ask, wallet, clock: systemClock }
    const outcome = await followDeregister(sent, signal)
    if (outcome === undefined) return setLate(true)
    if (outcome.kind === 'failed') return end({ kind: 'idle', problem: outcome.problem })
    end(outcome)
    refresh()
    return undefined
  })

  const { act: send } = useAction(async () => {
    setState({ kind: 'asking' })
    try {
      const paying = wallet ?? (await connect())
      if (paying === undefined) return setState({ kind: 'idle' })
      const hash = await sendDeregister({ agentId, owner, wallet: paying, platform })
      localStorage.setItem(key, hash)
      setState({ kind: 'sent', transaction: hash, isLate: false })
      sentNow()
    } catch (error) {
      setState({ kind: 'idle', problem: explainDeregister(error) })
    }
  })
  return { state, send, follow: () => setLate(false), forget: () => end({ kind: 'idle' }) }
}
