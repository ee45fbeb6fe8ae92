import type { Clock } from '@farebox/protocol/time/clock'
import { startLoops, type Background } from './loop.ts'
import { createNotifier, type Notifier } from './notifier.ts'
import { createPlaces, type Room, type Taking } from './places.ts'
import { createPollPace } from './poll-pace.ts'

/** The due rows of a table, which any number of processes share by leases. */
export interface Work<Row> {
  /** Takes due rows by a lease: at most `limit`, and of one key so many that at most `perKey` are under way. */
  take(taking: Taking, signal: AbortSignal): Promise<readonly Row[]>
  /**
   * Does for a row what is due, and lets it go. Where it rejects, its lease runs out and somebody takes it again.
   *
   * @param during.signal aborts when the process ends: what is under way is given back
   * @param during.leave gives the row's place to another before the work is done
   */
  work(row: Row, during: { readonly signal: AbortSignal; leave(): void }): Promise<void>
  /** How many rows have a place at a time. */
  readonly slots: number
  /** How many may be taken where so many places are free; default all of them. */
  room?(free: number): Room
  /** Whose row it is; default: all are one's. */
  keyOf?(row: Row): string
  /** Keeps the rows under way, a third of the lease after the other; without, a lease is longer than any work. */
  readonly lease?: {
    readonly ms: number
    renew(rows: readonly Row[]): Promise<void>
    /** Default: as where rows were not taken. */
    onFailure?(error: unknown): void
  }
  /** How often due rows are looked for, see {@link createPollPace}. */
  readonly pace: { readonly pollMs: number; readonly idleMs: number }
  /** Says that this process has made something due. */
  readonly due?: Notifier
  /** What becomes due, or free, at about the same time is taken together; default 0. */
  readonly gatherMs?: number
  /** @param row undefined: rows were not taken, or not renewed where the lease has no callback of its own */
  onFailure(error: unknown, row?: Row): void
}

/** A place for a row that is just being written down, under a lease of this process. */
export interface Reserved<Row> {
  /** The row is written down. */
  begin(row: Row): void
  /** There is none after all. */
  release(): void
}

/** Works on due rows until it is stopped, which resolves once all that was begun has ended. */
export interface Worker<Row> extends Background {
  /** Undefined where no place is free for a row of this key, or others may have waited for it longer. */
  reserve(key: string): Reserved<Row> | undefined
}

/** While the database is away it is asked as seldom as this. */
const LONGEST_PAUSE_MS = 2_000

/** Starts to take due rows and to work on them. */
export function startWorker<Row>(clock: Clock, work: Work<Row>): Worker<Row> {
  const { lease, keyOf = () => '', gatherMs, due = createNotifier(clock) } = work
  const stopping = new AbortController()
  const { signal } = stopping
  const pace = createPollPace(clock, work.pace)
  const places = createPlaces(work.slots, work.room?.bind(work))
  const underWay = new Set<Promise<void>>()
  const leased = new Set<Row>()

  const track = (promise: Promise<void>): void => {
    const ended = promise.finally(() => underWay.delete(ended))
    underWay.add(ended)
  }
  const hold = (key: string): (() => void) => places.hold(key, () => due.notify())
  const workOn = async (row: Row, leave: () => void): Promise<void> => {
    leased.add(row)
    pace.busy()
    try {
      await work.work(row, { signal, leave })
    } catch (error) {
      work.onFailure(error, row)
    } finally {
      leased.delete(row)
      pace.busy()
      leave()
    }
  }
  const look = async (): Promise<boolean> => {
    const taking = places.room()
    const rows = taking.limit > 0 ? await work.take(taking, signal) : []
    for (const row of rows) track(workOn(row, hold(keyOf(row))))
    places.note(rows.map(keyOf), taking)
    return rows.length > 0 && rows.length >= taking.limit && !places.isScarce
  }
  const onFailure = (error: unknown): void => work.onFailure(error)
  const pauseMs = (): number => (leased.size > 0 ? work.pace.pollMs : pace.pauseMs())
  const looks = { pass: look, pauseMs, due, gatherMs, longestPauseMs: LONGEST_PAUSE_MS, onFailure }
  const looking = startLoops(clock, [looks], stopping)
  const renewals = lease && {
    pass: () => lease.renew([...leased]),
    pauseMs: lease.ms / 3,
    onFailure: lease.onFailure ?? onFailure,
  }
  const renewing = startLoops(clock, renewals ? [renewals] : [])

  return {
    reserve(key) {
      if (signal.aborted || !places.mayHold(key)) return undefined
      const leave = hold(key)
      let settle = (_row?: Row): void => {}
      const written = new Promise<Row | undefined>(resolve => (settle = resolve))
      track(written.then(row => (row === undefined ? leave() : workOn(row, leave))))
      return { begin: settle, release: settle }
    },
    async stop() {
      await looking.stop()
      while (underWay.size > 0) await Promise.all(underWay)
      await renewing.stop()
    },
  }
}
