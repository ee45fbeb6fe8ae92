import { randomUUID } from 'node:crypto'
import { repeat } from '@farebox/server/internal/repeat'
import type { SenderLeases } from '../ledger/settlement-ledger.ts'
import { describeError } from '@farebox/server/log'
import { createNotifier, type Notifier } from './notifier.ts'
import { runSettlementPass, type PassParts, type LeaseTerm } from './settlement-pass.ts'

/** What a settlement loop works with. */
export interface SettlementLoopParts extends PassParts {
  readonly leases: SenderLeases
  /** After a crash nobody sends from the account for so long. */
  readonly leaseMs: number
}

/** The one that turns captured payments into mined transfers. */
export interface SettlementLoop {
  /** Something was captured: look now. */
  wake(): void
  /** Does this process hold the lease of its relayer account? */
  holdsLease(): boolean
  /** The nonces of its transactions in flight. */
  openNonces(): readonly number[]
  /** Stops taking work, lets go of what is in flight (it is saved) and gives the lease up. */
  close(): Promise<void>
}

/** While a transaction is in flight others gather for so long, and then go in one. */
const COLLECT_MS = 250
/**
 * When it ends, those whose payments it carried are about to come with the next: so long they may take to join those
 * who waited. Who finds nobody waiting and nothing in flight goes at once.
 */
const REJOIN_MS = 10
/**
 * With nothing to do the ledger is looked at this often, in case a notification was missed; so long after a failed
 * round.
 */
const IDLE_MS = 1_000

/**
 * Starts the settlement loop of a relayer account. It works while it holds the account's lease, which one process at a
 * time has; it resumes whatever an earlier holder has saved, then takes what is captured.
 */
export function startSettlementLoop(parts: SettlementLoopParts): SettlementLoop {
  const { clock, log, leases, leaseMs } = parts
  const account = { network: parts.network.id, relayer: parts.relayer.address }
  const holder = randomUUID()
  const closing = new AbortController()
  const notifier = createNotifier(clock)
  let term: LeaseTerm | undefined

  const renewLease = async (): Promise<void> => {
    const lease = await leases.acquire(account, holder, leaseMs)
    if (term?.lease.fence === lease?.fence) return
    term?.end.abort()
    term = lease && {
      lease,
      end: new AbortController(),
      following: new Map(),
      nextNonce: undefined,
      ended: createNotifier(clock),
      notifier,
    }
    log.info(term === undefined ? 'relayer lease lost' : 'relayer lease taken', {
      relayer: account.relayer,
      fence: lease?.fence,
    })
    notifier.notify()
  }
  const onLeaseError = (error: unknown): void =>
    log.warn('cannot renew the relayer lease', { error: describeError(error) })
  const onPassError = (error: unknown): void =>
    log.error('settlement pass failed', { error: describeError(error) })
  const { signal } = closing
  const keeping = repeat(clock, { everyMs: leaseMs / 4, signal, onFailure: onLeaseError }, renewLease)
  const working = repeat(clock, { everyMs: 0, signal, onFailure: onPassError }, () =>
    work(parts, () => term, notifier, signal),
  )
  return {
    wake: () => notifier.notify(),
    holdsLease: () => term !== undefined,
    openNonces: () => [...(term?.following.values() ?? [])].map(one => one.nonce),
    async close() {
      closing.abort()
      term?.end.abort()
      await Promise.all([keeping, working])
      await Promise.all([...(term?.following.values() ?? [])].map(one => one.done))
      if (term !== undefined) await leases.giveUp(term.lease)
    },
  }
}

async function work(
  parts: SettlementLoopParts,
  currentTerm: () => LeaseTerm | undefined,
  notifier: Notifier,
  closing: AbortSignal,
): Promise<void> {
  await notifier.wait(IDLE_MS, closing)
  const term = currentTerm()
  if (term === undefined || closing.aborted || term.end.signal.aborted) return
  if (term.following.size > 0) {
    await term.ended.wait(COLLECT_MS, closing)
    await parts.clock.sleep(REJOIN_MS, closing)
  }
  try {
    await runSettlementPass(parts, term)
  } catch (error) {
    // What came to nothing now is tried again after a while, notified or not.
    await parts.clock.sleep(IDLE_MS, closing)
    notifier.notify()
    throw error
  }
}
