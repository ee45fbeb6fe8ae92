import type { Clock } from '@farebox/protocol/time/clock'
import { startLoops, type Background } from './loop.ts'
import { createNotifier, type Notifier } from './notifier.ts'
import { createPlaces, type Room, type Taking } from './places.ts'
import { createPollPace } from './poll-pace.ts'

/** The due rows of a table, which any number of processes share by leases. */
export interface Work<Row> {
  /** Leases due rows: at most `limit`, and of each key only so many that at most `perKey` are in progress. */
  take(taking: Taking, signal: AbortSignal): Promise<readonly Row[]>
  /**
   * Does the due work for a row and releases it. When it rejects, the row's lease expires and a process leases it
   * again.
   *
   * @param during.signal - aborts when the process ends, so that the work in progress is released
   * @param during.leave - frees the row's slot before the work is done
   */
  work(row: Row, during: { readonly signal: AbortSignal; leave(): void }): Promise<void>
  /** The number of slots for rows in progress. */
  readonly slots: number
  /** How many rows may be leased when this many slots are free; by default all of them. */
  room?(free: number): Room
  /** The key of a row; by default all rows have the same key. */
  keyOf?(row: Row): string
  /**
   * Renews the leases of rows in progress, every third of the lease time. Without it, a lease must be longer than any
   * work.
   */
  readonly lease?: {
    readonly ms: number
    renew(rows: readonly Row[]): Promise<void>
    /** By default, {@link Work.onFailure} is called. */
    onFailure?(error: unknown): void
  }
  /** How often due rows are polled, see {@link createPollPace}. */
  readonly pace: { readonly pollMs: number; readonly idleMs: number }
  /** Notifies that this process has made a row due. */
  readonly due?: Notifier
  /**
   * Rows that become due, and slots that become free, within this time are handled together; default 0 milliseconds.
   */
  readonly gatherMs?: number
  /**
   * Reports an error.
   *
   * @param row - undefined when rows could not be leased, or not renewed if the lease has no callback of its own
   */
  onFailure(error: unknown, row?: Row): void
}

/** A slot for a row that is just being written under a lease of this process. */
export interface Reserved<Row> {
  /** Begins the work, because the row is written. */
  begin(row: Row): void
  /** Releases the slot, because the row was not written. */
  release(): void
}

/** Works on due rows until it is stopped; stopping resolves once all started work has ended. */
export interface Worker<Row> extends Background {
  /**
   * Reserves a slot; undefined when no slot is free for a row of this key, or when other rows may have waited for one
   * longer.
   */
  reserve(key: string): Reserved<Row> | undefined
}

/** The longest pause between polls while the database is unavailable. */
const LONGEST_PAUSE_MS = 2_000

/** Starts leasing due rows and working on them. */
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
