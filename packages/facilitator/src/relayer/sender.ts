import { randomUUID } from 'node:crypto'
import type { Clock } from '@farebox/server/clock'
import type { SenderLeases } from '../ledger/settlement-ledger.ts'
import { describeError } from '@farebox/server/log'
import { createBell, type Bell } from './bell.ts'
import { runRound, type RoundParts, type Turn } from './run-round.ts'

/** What a sender works with. */
export interface SenderParts extends RoundParts {
  readonly leases: SenderLeases
  /** After a crash nobody sends from the account for so long. */
  readonly leaseMs: number
}

/** The one that turns captured payments into mined transfers. */
export interface Sender {
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
const GATHER_MS = 250
/**
 * When it ends, those whose payments it carried are about to come with the next: so long they may take to join those
 * who waited. Who finds nobody waiting and nothing in flight goes at once.
 */
const REGATHER_MS = 10
/**
 * With nothing to do the ledger is looked at this often, in case a bell was missed; so long after a failed
 * round.
 */
const IDLE_MS = 1_000

/**
 * Starts the sender of a relayer account. It works while it holds the account's lease, which one process at a
 * time has; it resumes whatever an earlier holder has saved, then takes what is captured.
 */
export function startSender(parts: SenderParts): Sender {
  const { clock, log, leases, leaseMs } = parts
  const account = { network: parts.network.id, relayer: parts.relayer.address }
  const holder = randomUUID()
  const closing = new AbortController()
  const bell = createBell(clock)
  let turn: Turn | undefined

  const renewLease = async (): Promise<void> => {
    const lease = await leases.acquire(account, holder, leaseMs)
    if (turn?.lease.fence === lease?.fence) return
    turn?.end.abort()
    turn = lease && {
      lease,
      end: new AbortController(),
      following: new Map(),
      nextNonce: undefined,
      ended: createBell(clock),
      bell,
    }
    log.info(turn === undefined ? 'relayer lease lost' : 'relayer lease taken', {
      relayer: account.relayer,
      fence: lease?.fence,
    })
    bell.ring()
  }
  const onLeaseError = (error: unknown): void =>
    log.warn('relayer lease not renewed', { error: describeError(error) })
  const onRoundError = (error: unknown): void =>
    log.error('settlement round failed', { error: describeError(error) })
  const keeping = repeat(() => renewLease().catch(onLeaseError), clock, leaseMs / 4, closing.signal)
  const working = repeat(
    () => work(parts, () => turn, bell, closing.signal).catch(onRoundError),
    clock,
    0,
    closing.signal,
  )
  return {
    wake: () => bell.ring(),
    holdsLease: () => turn !== undefined,
    openNonces: () => [...(turn?.following.values() ?? [])].map(one => one.nonce),
    async close() {
      closing.abort()
      turn?.end.abort()
      await Promise.all([keeping, working])
      await Promise.all([...(turn?.following.values() ?? [])].map(one => one.done))
      if (turn !== undefined) await leases.giveUp(turn.lease)
    },
  }
}

async function work(
  parts: SenderParts,
  currentTurn: () => Turn | undefined,
  bell: Bell,
  closing: AbortSignal,
): Promise<void> {
  await bell.wait(IDLE_MS, closing)
  const turn = currentTurn()
  if (turn === undefined || closing.aborted || turn.end.signal.aborted) return
  if (turn.following.size > 0) {
    await turn.ended.wait(GATHER_MS, closing)
    await parts.clock.sleep(REGATHER_MS, closing)
  }
  try {
    await runRound(parts, turn)
  } catch (error) {
    // What came to nothing now is tried again after a while, rung or not.
    await parts.clock.sleep(IDLE_MS, closing)
    bell.ring()
    throw error
  }
}

async function repeat(
  step: () => Promise<void>,
  clock: Clock,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await step()
    if (everyMs > 0) await clock.sleep(everyMs, signal)
  }
}
