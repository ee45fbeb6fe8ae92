import type { Network } from '@farebox/payments/networks'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { isFinalFailure } from '../ledger/final-failure.ts'
import type { PaymentLedger } from '../ledger/payment-ledger.ts'
import type { PaymentRecord } from '../ledger/payment-record.ts'
import { shortKey } from '../ledger/signals.ts'

/** The end of a settlement, as its waiters get it. */
export type SettlementEnd =
  | { readonly kind: 'settled'; readonly transaction: string }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly message: string
      readonly transaction: string
    }
  /** It failed, but one of our transactions may still be mined and pay it: no reason to wait longer. */
  | { readonly kind: 'in-doubt' }

/** The requests that wait for the end of captured payments. */
export interface SettlementWaiters {
  /** Resolves with the end, or undefined when there is none in time. Rejects only when the ledger does. */
  wait(key: string, timeoutMs: number): Promise<SettlementEnd | undefined>
  /** Notifies the waiters of this payment. */
  announce(key: string, end: SettlementEnd): void
  /**
   * Makes waiters read the ledger, because payments were decided elsewhere. With key endings only the waiters of those
   * payments read; with undefined it is unknown which payments changed, so all of them do.
   */
  lookAgain(shortKeys: readonly string[] | undefined): void
}

/**
 * A settled payment is announced to its waiters, in this process or by notification. In case a notification is missed, all
 * waiters read the ledger at this interval, at the same moments.
 */
const LOOK_MS = 2_000
/** An explicit abort reason: without one each abort creates an exception with a stack trace. */
const CUT = 'no need to wait any longer'

interface Waiter {
  readonly key: string
  readonly giveUpAtMs: number
  lookAtMs: number
  readonly resolve: (end: SettlementEnd | undefined) => void
  readonly reject: (error: unknown) => void
}

/** The waiters by the key of their payment, and one shared timer that wakes them. */
interface WaitingRoom {
  readonly ledger: PaymentLedger
  readonly clock: Clock
  readonly network: Network
  readonly waiting: Map<string, Set<Waiter>>
  alarm: { readonly atMs: number; readonly cut: AbortController } | undefined
}

/** Creates the waiters over a ledger: waiters that are due at the same moment share one query. */
export function createSettlementWaiters(
  ledger: PaymentLedger,
  clock: Clock,
  network: Network,
): SettlementWaiters {
  const room: WaitingRoom = { ledger, clock, network, waiting: new Map(), alarm: undefined }
  return {
    wait: (key, timeoutMs) =>
      new Promise((resolve, reject) => {
        const nowMs = clock.nowMs()
        const giveUpAtMs = nowMs + timeoutMs
        const lookAtMs = nextLook(nowMs, giveUpAtMs)
        enter(room, { key, giveUpAtMs, lookAtMs, resolve, reject })
        setAlarm(room, lookAtMs)
      }),
    announce(key, end) {
      const waiters = room.waiting.get(key)
      room.waiting.delete(key)
      for (const waiter of waiters ?? []) waiter.resolve(end)
      restWhenEmpty(room)
    },
    lookAgain(shortKeys) {
      const named = shortKeys && new Set(shortKeys)
      const waiters = everybody(room).filter(({ key }) => named?.has(shortKey(key)) ?? true)
      if (waiters.length > 0) void lookTogether(room, waiters)
    },
  }
}

function enter({ waiting }: WaitingRoom, waiter: Waiter): void {
  const others = waiting.get(waiter.key)
  if (others === undefined) waiting.set(waiter.key, new Set([waiter]))
  else others.add(waiter)
}

function everybody({ waiting }: WaitingRoom): Waiter[] {
  return [...waiting.values()].flatMap(waiters => [...waiters])
}

/** One timer for all waiters, set to the first that is due. */
function setAlarm(room: WaitingRoom, atMs: number): void {
  const { clock } = room
  if (room.alarm !== undefined && room.alarm.atMs <= atMs) return
  room.alarm?.cut.abort(CUT)
  const set = { atMs, cut: new AbortController() }
  room.alarm = set
  void sleep(clock, Math.max(0, atMs - clock.nowMs()), set.cut.signal).then(() => {
    if (room.alarm !== set) return
    room.alarm = undefined
    void lookTogether(
      room,
      everybody(room).filter(waiter => waiter.lookAtMs <= clock.nowMs()),
    )
  })
}

/** Stops the timer when there are no waiters: it would keep the process alive. */
function restWhenEmpty(room: WaitingRoom): void {
  if (room.waiting.size > 0) return
  room.alarm?.cut.abort(CUT)
  room.alarm = undefined
}

/** Never rejects: errors are passed on to the waiters. */
async function lookTogether(room: WaitingRoom, waiters: readonly Waiter[]): Promise<void> {
  const dueSinceMs = room.clock.nowMs()
  for (const waiter of waiters) {
    waiter.lookAtMs = nextLook(dueSinceMs, waiter.giveUpAtMs)
  }
  try {
    const ends = await readEnds(room, waiters)
    for (const waiter of waiters) {
      const end = ends.get(waiter.key)
      if (end !== undefined || dueSinceMs >= waiter.giveUpAtMs) leave(room, waiter)?.resolve(end)
    }
  } catch (error) {
    for (const waiter of waiters) leave(room, waiter)?.reject(error)
  }
  restWhenEmpty(room)
  const next = Math.min(...everybody(room).map(waiter => waiter.lookAtMs))
  if (Number.isFinite(next)) setAlarm(room, next)
}

/** Removes the waiter; undefined if it was already removed with its end. */
function leave({ waiting }: WaitingRoom, waiter: Waiter): Waiter | undefined {
  const others = waiting.get(waiter.key)
  if (others === undefined || !others.delete(waiter)) return undefined
  if (others.size === 0) waiting.delete(waiter.key)
  return waiter
}

/** The second common moment from now: one to two intervals away. */
function nextLook(nowMs: number, giveUpAtMs: number): number {
  return Math.min((Math.floor(nowMs / LOOK_MS) + 2) * LOOK_MS, giveUpAtMs)
}

async function readEnds(
  { ledger, network }: WaitingRoom,
  waiters: readonly Waiter[],
): Promise<ReadonlyMap<string, SettlementEnd>> {
  if (waiters.length === 0) return new Map()
  const records = await ledger.find([...new Set(waiters.map(waiter => waiter.key))])
  const ends = records.map(record => [record.key, endOf(record, network)] as const)
  return new Map(ends.flatMap(([key, end]) => (end === undefined ? [] : [[key, end] as const])))
}

function endOf(record: PaymentRecord, network: Network): SettlementEnd | undefined {
  if (record.state === 'settled') return { kind: 'settled', transaction: record.transaction }
  if (record.state !== 'failed' || record.failure === undefined) return undefined
  return isFinalFailure(record, network)
    ? { kind: 'failed', ...record.failure, transaction: record.transaction }
    : { kind: 'in-doubt' }
}
