import { useCallback, useState, useSyncExternalStore } from 'react'
import type { AnswerOf } from './answers.ts'
import { useSite } from './site.ts'

/** How far a question is. */
export type Asked<T> =
  | {
      readonly state: 'asking'
      readonly answer?: undefined
      readonly isWaiting?: undefined
      readonly failure?: undefined
    }
  | {
      readonly state: 'answer'
      readonly answer: T
      /** A newer one is on its way, or the one for the key that was asked for last. */
      readonly isWaiting?: boolean
      /** Why there is no newer one, where it was asked for; undefined: this is the newest. */
      readonly failure?: unknown
    }
  | {
      readonly state: 'failed'
      readonly answer?: undefined
      readonly isWaiting?: undefined
      readonly failure: unknown
    }

/**
 * Works an answer out, from nothing but the key that it is asked for. It may give answers one after another, and then
 * resolve to undefined. The signal aborts when nobody waits for it any more. Rejects where there is none.
 */
export type Read<T> = (signal: AbortSignal, give: (answer: T) => void) => Promise<T | undefined>

/** When a question is put, and what is shown meanwhile. */
export interface AskedHow {
  /** Asked again so often while somebody looks. */
  readonly everyMs?: number
  /** Of a key that is typed: it is asked for once typing has paused for so long. */
  readonly afterMs?: number
  /** The answer for the key before is shown until there is one for the new key. */
  readonly keeps?: boolean
}

/** Something that is asked while somebody listens: for one key at a time, and the newest answer counts. */
export interface Question<T> {
  /** How far it is for this key; undefined: nothing is asked. */
  get(key: string | undefined, keeps?: boolean): Asked<T>
  /** Asks for a key until the returned function is called. */
  open(key: string | undefined, read: Read<T>, changed: () => void, how?: AskedHow): () => void
  /** Asks now. Undefined: nobody listens, it failed, or something newer was asked meanwhile. */
  again(): Promise<T | undefined>
  /** Asks in another way, for the same key: the answer with what comes after it. */
  more(read: Read<T>): void
  /** Shows another answer than the one that is shown, where there is one. */
  change(by: (shown: T) => T): void
}

const ASKING = { state: 'asking' } as const

/**
 * Makes a question.
 *
 * @param first what the page came with: nothing is asked then until it is to be newer
 */
export function createQuestion<T>(first?: T): Question<T> {
  let asked: Asked<T> = first === undefined ? ASKING : { state: 'answer', answer: first }
  let isFirst = first !== undefined
  let askedKey: string | undefined
  /** Of the answer that is shown. */
  let answeredKey: string | undefined
  let opened: { readonly read: Read<T>; readonly changed: () => void } | undefined
  const reading = createReading<T>()

  const say = (next: Asked<T>): void => {
    asked = next
    opened?.changed()
  }
  const put = (answer: T): void => {
    answeredKey = askedKey
    say({ state: 'answer', answer })
  }
  const fail = (failure: unknown): void =>
    say(asked.state === 'answer' ? { ...asked, isWaiting: false, failure } : { state: 'failed', failure })
  const run = (read: Read<T>): Promise<T | undefined> => {
    if (asked.state === 'failed') say(ASKING)
    else if (asked.state === 'answer') say({ ...asked, isWaiting: true })
    return reading.begin(read, put, fail)
  }
  const again = async (): Promise<T | undefined> =>
    opened === undefined ? undefined : await run(opened.read)
  return {
    get: (key, keeps = false) => (key === askedKey || isFirst || keeps ? asked : ASKING),
    open(key, read, changed, { everyMs, afterMs, keeps = false } = {}) {
      const hasFirst = isFirst
      if (key !== askedKey && !hasFirst) {
        if (!keeps) asked = ASKING
        else if (asked.state === 'answer' && key !== undefined) asked = { ...asked, isWaiting: true }
      }
      askedKey = key
      if (hasFirst) answeredKey = key
      isFirst = false
      if (key === undefined) return () => undefined
      opened = { read, changed }
      const pace = { everyMs, afterMs, isRead: hasFirst }
      const stop = keepReading(() => void again(), reading.isBusy, pace)
      return () => {
        stop()
        opened = undefined
        reading.stop()
      }
    },
    again,
    more(read) {
      // More of an answer that is about to be replaced is not wanted.
      if (opened !== undefined && answeredKey === askedKey) void run(read)
    },
    change(by) {
      if (asked.state === 'answer') say({ ...asked, answer: by(asked.answer) })
      // The answer that is on its way was asked for before the change.
      if (reading.isBusy()) void again()
    },
  }
}

/** Reads answers, one at a time. */
interface Reading<T> {
  isBusy(): boolean
  /** Aborts the read before it, and begins another. Resolves to its last answer; undefined: it failed, or was aborted. */
  begin(read: Read<T>, put: (answer: T) => void, fail: (failure: unknown) => void): Promise<T | undefined>
  stop(): void
}

function createReading<T>(): Reading<T> {
  let current = new AbortController()
  let isBusy = false
  return {
    isBusy: () => isBusy,
    async begin(read, put, fail) {
      current.abort(new Error('it is asked once more'))
      current = new AbortController()
      const { signal } = current
      isBusy = true
      try {
        const answer = await read(signal, given => {
          if (!signal.aborted) put(given)
        })
        if (signal.aborted) return undefined
        isBusy = false
        if (answer !== undefined) put(answer)
        return answer
      } catch (failure) {
        if (signal.aborted) return undefined
        isBusy = false
        fail(failure)
        return undefined
      }
    },
    stop() {
      current.abort(new Error('the page was left'))
      isBusy = false
    },
  }
}

/** Reads now, or after a pause, unless the answer is there; then every so often. Returns what ends it. */
function keepReading(
  read: () => void,
  isBusy: () => boolean,
  pace: {
    readonly everyMs: number | undefined
    readonly afterMs: number | undefined
    readonly isRead: boolean
  },
): () => void {
  const { everyMs, afterMs, isRead } = pace
  const timer = isRead || afterMs === undefined ? undefined : setTimeout(read, afterMs)
  if (!isRead && afterMs === undefined) read()
  const stop = everyMs === undefined ? undefined : whileSeen(everyMs, () => isBusy() || read())
  return () => {
    clearTimeout(timer)
    stop?.()
  }
}

/** Ends something when nobody waits for it any more, which may be now. */
export function onLeft(signal: AbortSignal, end: () => void): void {
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}

/** Does something every so often while somebody looks, and at once for who comes back after a turn was left out. */
function whileSeen(everyMs: number, act: () => void): () => void {
  // The tests of what asks have no document.
  const seen = typeof document === 'undefined' ? undefined : document
  let isMissed = false
  const timer = setInterval(() => {
    isMissed = seen?.hidden === true
    if (!isMissed) act()
  }, everyMs)
  const look = (): void => {
    if (seen?.hidden === true || !isMissed) return
    isMissed = false
    act()
  }
  seen?.addEventListener('visibilitychange', look)
  return () => {
    clearInterval(timer)
    seen?.removeEventListener('visibilitychange', look)
  }
}

/** A question of a component: how far it is, and what asks it once more. */
export type AskedBy<T> = Asked<T> & Pick<Question<T>, 'again' | 'more' | 'change'>

/** Works something out while the component is there, and again for another key; undefined: not now. */
export function useRead<T>(
  key: string | undefined,
  read: Read<T>,
  how: AskedHow & { readonly first?: T } = {},
): AskedBy<T> {
  const { first, everyMs, afterMs, keeps } = how
  const [question] = useState(() => createQuestion(first))
  const subscribe = useCallback(
    (changed: () => void) =>
      question.open(key, read, changed, {
        ...(everyMs !== undefined && { everyMs }),
        ...(afterMs !== undefined && { afterMs }),
        ...(keeps !== undefined && { keeps }),
      }),
    // The key determines what is read.
    // oxlint-disable-next-line react/exhaustive-deps
    [question, key, everyMs, afterMs, keeps],
  )
  const get = (): Asked<T> => question.get(key, keeps)
  const { again, more, change } = question
  return { ...useSyncExternalStore(subscribe, get, get), again, more, change }
}

/** Asks the platform for a path while the component is there, and for another path when it changes; undefined: not now. */
export function useAsk<T>(
  path: string | undefined,
  answer: AnswerOf<T>,
  how?: AskedHow & { readonly first?: T },
): AskedBy<T> {
  const { ask } = useSite()
  return useRead(path, signal => ask(path ?? '', answer, { signal }), how)
}
