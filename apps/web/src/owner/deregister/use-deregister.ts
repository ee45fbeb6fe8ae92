import { systemClock } from '@farebox/client/internal/exchange/clock'
import { useEffect, useState } from 'react'
import { usePurse } from '../../purse/purse-context.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'
import { useRead } from '../../site/question.ts'
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

const FAILURES = {
  reverted: 'The contract rejected the transaction. The agent is still registered, and only gas was spent.',
  replaced: 'Another transaction from your wallet replaced this one. The agent is still registered.',
}

/** Ends an agent's registration by its owner's wallet; what is sent is waited for, and never sent twice by itself. */
export function useDeregister(agentId: number, owner: string, sentNow: () => void): Deregister {
  const { ask, platform } = useSite()
  const { wallet, connect, refresh } = usePurse()
  const { chain_id: chainId } = platform
  const [state, setState] = useState<DeregisterState>({ kind: 'idle' })
  const key = `${SENT}${chainId}-${agentId}`
  const sent = state.kind === 'sent' && !state.isLate ? state.transaction : undefined

  useEffect(() => {
    const transaction = localStorage.getItem(key)
    if (transaction !== null) setState({ kind: 'sent', transaction, isLate: false })
  }, [key])

  const fateOf = async (transaction: string): Promise<DeregisterState | undefined> => {
    if (await isDeregistered(ask, agentId)) return { kind: 'done' }
    const result =
      wallet === undefined
        ? 'unknown'
        : await readTransaction(wallet, { hash: transaction, from: owner }, chainId)
    const isOver = result === 'reverted' || result === 'replaced'
    return isOver ? { kind: 'idle', problem: FAILURES[result] } : undefined
  }
  useRead(sent && `${key} ${sent} ${wallet?.address}`, async signal => {
    if (sent === undefined) return undefined
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      await systemClock.sleep(LOOK_MS, signal)
      const next = await fateOf(sent).catch(() => undefined)
      signal.throwIfAborted()
      if (next === undefined) continue
      localStorage.removeItem(key)
      setState(next)
      if (next.kind === 'done') refresh()
      return next
    }
    setState(before => (before.kind === 'sent' ? { ...before, isLate: true } : before))
    return undefined
  })

  const sending = useAction(async () => {
    setState({ kind: 'asking' })
    try {
      const paying = wallet ?? (await connect())
      if (paying === undefined) return setState({ kind: 'idle' })
      const transaction = await sendDeregister({ agentId, owner, wallet: paying, platform })
      localStorage.setItem(key, transaction)
      setState({ kind: 'sent', transaction, isLate: false })
      sentNow()
    } catch (error) {
      setState({ kind: 'idle', problem: explainDeregister(error) })
    }
  })
  return {
    state,
    send: sending.act,
    look: () => setState(before => (before.kind === 'sent' ? { ...before, isLate: false } : before)),
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
