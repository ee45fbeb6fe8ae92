import { randomUUID } from 'node:crypto'
import { sleep } from '@farebox/protocol/time/clock'
import { repeat } from '@farebox/protocol/internal/time/repeat'
import type { SenderLeases } from '../ledger/settlement-ledger.ts'
import { describeError } from '@farebox/server/log'
import type { CaptureOutcome, CaptureRequest } from '../ledger/payment-ledger.ts'
import { chargeAtOnce } from './charge-at-once.ts'
import { createBatchTiming } from './batch-timing.ts'
import { createPassNotifier } from './notifier.ts'
import { MAX_BATCH, type Relayer } from './account/relayer-account.ts'
import { beginTerm, countInFlight, type SenderState } from './relayer-term.ts'
import { runSettlementPass, type PassParts } from './settlement-pass.ts'

/** The dependencies of a settlement loop. */
export interface SettlementLoopParts extends PassParts {
  /** The accounts it may send from: it uses those whose leases it gets. */
  readonly relayers: readonly Relayer[]
  readonly leases: SenderLeases
  /** After a crash of the process its accounts stay unused for this long. */
  readonly leaseMs: number
}

/** Turns captured payments into mined transfers. */
export interface SettlementLoop {
  /** Charges a payment when nothing else is in progress; see {@link chargeAtOnce}. */
  chargeAtOnce(request: CaptureRequest): Promise<CaptureOutcome | undefined>
  /** Notifies the loop that a payment was captured, here or in another process. */
  wake(): void
  /** Does this process hold the lease of one of its relayer accounts? */
  holdsLease(): boolean
  /** The nonces of an account's transactions in flight; lower-case address. */
  openNonces(relayer: string): readonly number[]
  /** Stops taking work, stops following transactions in flight (they are saved) and releases the leases. */
  close(): Promise<void>
}

/** When idle, the ledger is read at this interval in case a notification was missed; a failed round is repeated after it. */
const IDLE_MS = 1_000

/**
 * Starts the settlement loop of a process. It sends from the relayer accounts whose leases it holds; each lease is held by
 * one process at a time. It resumes the transactions of an earlier holder, then settles captured payments.
 */
export function startSettlementLoop(parts: SettlementLoopParts): SettlementLoop {
  const { clock, log, leases, leaseMs, relayers } = parts
  const closing = new AbortController()
  const { signal } = closing
  const state: SenderState = {
    holder: randomUUID(),
    terms: new Map(),
    batching: createBatchTiming(clock, MAX_BATCH),
    notifier: createPassNotifier(clock),
    isAtWork: false,
  }

  const renewLease = async (relayer: Relayer): Promise<void> => {
    const account = { network: parts.network.id, relayer: relayer.address }
    const lease = await leases.acquire(account, state.holder, leaseMs)
    const term = state.terms.get(relayer.address)
    if (term?.lease.fence === lease?.fence) return
    term?.end.abort()
    if (lease === undefined) state.terms.delete(relayer.address)
    else state.terms.set(relayer.address, beginTerm(relayer, lease))
    log.info(lease === undefined ? 'relayer lease lost' : 'relayer lease taken', {
      relayer: account.relayer,
      fence: lease?.fence,
    })
    state.notifier.notify()
  }
  const keeping = relayers.map(relayer => {
    const onFailure = (error: unknown): void =>
      log.warn('cannot renew the relayer lease', { relayer: relayer.address, error: describeError(error) })
    return repeat(clock, { everyMs: leaseMs / 4, signal, onFailure }, () => renewLease(relayer))
  })
  const onFailure = (error: unknown): void =>
    log.error('settlement pass failed', { error: describeError(error) })
  const working = repeat(clock, { everyMs: 0, signal, onFailure }, () => work(parts, state, signal))
  return {
    chargeAtOnce: request => chargeAtOnce(parts, state, request),
    wake() {
      state.batching.captured()
      state.notifier.notify()
    },
    holdsLease: () => state.terms.size > 0,
    openNonces: relayer => [...(state.terms.get(relayer)?.following.values() ?? [])].map(one => one.nonce),
    async close() {
      closing.abort()
      for (const term of state.terms.values()) term.end.abort()
      await Promise.all([...keeping, working])
      const terms = [...state.terms.values()]
      for (const term of terms) term.end.abort()
      await Promise.all(terms.flatMap(term => [...term.following.values()].map(one => one.done)))
      await Promise.all(terms.map(term => leases.giveUp(term.lease)))
    },
  }
}

async function work(parts: SettlementLoopParts, state: SenderState, closing: AbortSignal): Promise<void> {
  const { clock, notifier } = { ...parts, ...state }
  await notifier.wait(IDLE_MS, closing)
  const terms = [...state.terms.values()].filter(term => !term.end.signal.aborted)
  if (terms.length === 0 || closing.aborted) return
  const isInFlight = terms.some(term => countInFlight(term) > 0)
  if (isInFlight || state.batching.hasCompany())
    await state.batching.wait(isInFlight ? parts.blockMs() : 0, closing)
  // The pass in progress notifies the loop when it is done.
  if (state.isAtWork) return
  state.isAtWork = true
  try {
    await runSettlementPass(parts, state, terms)
  } catch (error) {
    // A failed pass is repeated after a pause, with or without a notification.
    await sleep(clock, IDLE_MS, closing)
    notifier.notify()
    throw error
  } finally {
    state.isAtWork = false
  }
}
