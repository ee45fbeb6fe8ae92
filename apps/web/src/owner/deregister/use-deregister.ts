import { useCallback, useEffect, useState } from 'react'
import { usePurse } from '../../purse/purse-context.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'
import { readTransaction } from '../../wallet/read-transaction.ts'
import { explainDeregister, sendDeregister } from './send-deregister.ts'

/** How far taking a stake back is. */
export type DeregisterState =
  | { readonly kind: 'idle'; readonly problem?: string }
  | { readonly kind: 'asking' }
  | { readonly kind: 'sent'; readonly transaction: string; readonly isLate: boolean }
  | { readonly kind: 'done' }

/** What its owner can do about it. */
export interface Deregister {
  readonly state: DeregisterState
  /** Asks the wallet; does nothing while it is asked. */
  readonly send: () => void
  /** Waits again for what was sent. */
  readonly look: () => void
  /** Its person says that what was sent came to nothing. */
  readonly forget: () => void
}

/** In the browser's storage: the transaction that was sent for an agent, so that a page loaded anew waits for it. */
const SENT = 'farebox-deregister-'
const LOOK_MS = 3_000
/** Looks until the page stops waiting by itself. */
const MOST_LOOKS = 100

const CAME_TO_NOTHING = {
  reverted: 'The contract rejected the transaction. The agent is still registered, and only gas was spent.',
  replaced: 'Another transaction from your wallet replaced this one. The agent is still registered.',
}

/** Ends an agent's registration by its owner's wallet; what is sent is waited for, and never sent twice by itself. */
export function useDeregister(agentId: number, owner: string): Deregister {
  const { ask, platform } = useSite()
  const { wallet, connect, refresh } = usePurse()
  const { chain_id: chainId } = platform
  const [state, setState] = useState<DeregisterState>({ kind: 'idle' })
  const [round, setRound] = useState(0)
  const key = `${SENT}${chainId}-${agentId}`
  const sent = state.kind === 'sent' ? state.transaction : undefined

  useEffect(() => {
    const transaction = localStorage.getItem(key)
    if (transaction !== null) setState({ kind: 'sent', transaction, isLate: false })
  }, [key])

  useEffect(() => {
    if (sent === undefined) return undefined
    let looks = 0
    const end = (next: DeregisterState): void => {
      clearInterval(timer)
      if (next.kind !== 'sent') localStorage.removeItem(key)
      setState(next)
    }
    const look = async (): Promise<void> => {
      looks += 1
      if (await isDeregistered(ask, agentId)) {
        end({ kind: 'done' })
        refresh()
        return
      }
      const fate =
        wallet === undefined ? 'unknown' : await readTransaction(wallet, { hash: sent, from: owner }, chainId)
      if (fate === 'reverted' || fate === 'replaced') end({ kind: 'idle', problem: CAME_TO_NOTHING[fate] })
      else if (looks >= MOST_LOOKS) end({ kind: 'sent', transaction: sent, isLate: true })
    }
    const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS)
    return () => clearInterval(timer)
  }, [ask, agentId, owner, chainId, key, sent, wallet, refresh, round])

  const attempt = async (): Promise<void> => {
    const paying = wallet ?? (await connect())
    if (paying === undefined) {
      setState({ kind: 'idle' })
      return
    }
    const transaction = await sendDeregister({ agentId, owner, wallet: paying, platform })
    localStorage.setItem(key, transaction)
    setState({ kind: 'sent', transaction, isLate: false })
  }
  const look = useCallback(() => {
    setState(before => (before.kind === 'sent' ? { ...before, isLate: false } : before))
    setRound(before => before + 1)
  }, [])
  return {
    state,
    look,
    send() {
      if (state.kind !== 'idle') return
      setState({ kind: 'asking' })
      attempt().catch((error: unknown) => setState({ kind: 'idle', problem: explainDeregister(error) }))
    },
    forget() {
      localStorage.removeItem(key)
      setState({ kind: 'idle' })
    },
  }
}

/** Whether the platform has seen the registration end. An agent that is nobody's of this session's says nothing. */
async function isDeregistered(ask: Ask, agentId: number): Promise<boolean> {
  const { agents } = await ask(
    `/v1/me/agents${agentId > 1 ? `?cursor=${agentId - 1}` : ''}`,
    answers.ownedAgents,
  )
  return agents.find(({ agent_id: id }) => id === agentId)?.standing === 'deregistered'
}
