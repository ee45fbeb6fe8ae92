import { sleep, type Clock } from '@farebox/protocol/time/clock'
import type { Ask } from '../../site/ask.ts'
import { readTransaction } from '../../wallet/read-transaction.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { findOwnAgent } from '../read-parts.ts'

/** A transaction sent to deregister an agent, and the sources that can report its outcome. */
export interface SentDeregister {
  readonly agentId: number
  /** The address that sent it, in lower case. */
  readonly owner: string
  readonly transaction: string
  readonly chainId: number
  readonly ask: Ask
  readonly clock: Pick<Clock, 'after'>
  /** Undefined when only the platform can be asked. */
  readonly wallet: Wallet | undefined
}

/** The outcome of a transaction that deregisters an agent. */
export type DeregisterOutcome =
  | { readonly kind: 'done' }
  /** The agent is still registered; `problem` says why, in sentences. */
  | { readonly kind: 'failed'; readonly problem: string }

const CHECK_MS = 3_000
const MOST_CHECKS = 100

const PROBLEMS = {
  reverted: 'The contract rejected the transaction. The agent is still registered, and only gas was spent.',
  replaced: 'Another transaction from your wallet replaced this one. The agent is still registered.',
}

/**
 * Asks the platform and the wallet's chain until one of them knows the outcome. Undefined when neither does within five
 * minutes.
 *
 * @throws the signal's reason once it aborts
 */
export async function followDeregister(
  sent: SentDeregister,
  signal: AbortSignal,
): Promise<DeregisterOutcome | undefined> {
  for (let checks = 0; checks < MOST_CHECKS; checks += 1) {
    await sleep(sent.clock, CHECK_MS, signal)
    signal.throwIfAborted()
    const outcome = await readOutcome(sent).catch(() => undefined)
    signal.throwIfAborted()
    if (outcome !== undefined) return outcome
  }
  return undefined
}

async function readOutcome(sent: SentDeregister): Promise<DeregisterOutcome | undefined> {
  const { ask, agentId, wallet, transaction: hash, owner: from, chainId } = sent
  // An agent that the signed-in owner does not own is not found; then only the wallet's chain can tell.
  const agent = await findOwnAgent(ask, agentId)
  if (agent?.standing === 'deregistered') return { kind: 'done' }
  if (wallet === undefined) return undefined
  const outcome = await readTransaction(wallet, { hash, from }, chainId)
  const isOver = outcome === 'reverted' || outcome === 'replaced'
  return isOver ? { kind: 'failed', problem: PROBLEMS[outcome] } : undefined
}
