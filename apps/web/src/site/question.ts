import { useCallback, useState, useSyncExternalStore } from 'react'
import type { AnswerOf } from './answers.ts'
import { useSite } from './site.ts'

/** The state of a question. */
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
      /** Whether a newer answer is pending, or the answer for the current key. */
      readonly isWaiting?: boolean
      /** Why a newer answer could not be read; undefined when this is the newest one. */
      readonly failure?: unknown
    }
  | {
      readonly state: 'failed'
      readonly answer?: undefined
      readonly isWaiting?: undefined
      readonly failure: unknown
    }

/**
 * Computes an answer from its key alone. It may give several answers before it resolves to undefined. The signal aborts when
 * there is no listener any more. Rejects when there is no answer.
 */
export type Read<T> = (signal: AbortSignal, give: (answer: T) => void) => Promise<T | undefined>

/** When a question is asked, and what is shown meanwhile. */
export interface AskedHow {
  /** The interval at which it is asked again while the page is visible. */
  readonly everyMs?: number
  /** For a key that is typed: the pause in typing after which it is asked. */
  readonly afterMs?: number
  /** Whether the answer for the previous key is shown until there is one for the new key. */
  readonly keeps?: boolean
}

/** A question that is asked while there is a listener, for one key at a time; only the newest answer counts. */
export interface Question<T> {
  /** The state for this key; undefined means that nothing is asked. */
  get(key: string | undefined, keeps?: boolean): Asked<T>
  /** Asks for a key until the returned function is called. */
  open(key: string | undefined, read: Read<T>, changed: () => void, how?: AskedHow): () => void
  /** Asks now. Undefined when there is no listener, when it failed, or when a newer request was made meanwhile. */
  again(): Promise<T | undefined>
  /** Asks with another read for the same key, whose answer includes the next page. */
  more(read: Read<T>): void
  /** Replaces the shown answer, if there is one. */
  change(by: (shown: T) => T): void
}

const ASKING = { state: 'asking' } as const

/**
 * Creates a question.
 *
 * @param first the answer with which the page was loaded; nothing is then asked until a newer one is requested
 */
export function createQuestion<T>(first?: T): Question<T> {
  let asked: Asked<T> = first === undefined ? ASKING : { state: 'answer', answer: first }
  let isFirst = first !== undefined
  let askedKey: string | undefined
  /** The key of the shown answer. */
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
      // The answer is about to be replaced, so its next page is not needed.
      if (opened !== undefined && answeredKey === askedKey) void run(read)
    },
    change(by) {
      if (asked.state === 'answer') say({ ...asked, answer: by(asked.answer) })
      // The pending answer was requested before the change.
      if (reading.isBusy()) void again()
    },
  }
}

/** Reads answers, one at a time. */
interface Reading<T> {
  isBusy(): boolean
  /** Aborts the previous read and starts another. Resolves to its last answer; undefined when it failed or was aborted. */
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

/** Reads at once or after a pause, unless the answer is there; then at an interval. Returns a function that stops it. */
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

/** Calls `end` when the signal aborts, or at once if it has aborted already. */
export function onLeft(signal: AbortSignal, end: () => void): void {
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
}

/** Calls `act` at an interval while the page is visible. If a call was skipped, it is made when the page becomes visible. */
function whileSeen(everyMs: number, act: () => void): () => void {
  // Some tests run without a document.
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

/** A question of a component: its state, and the functions that ask again or change the answer. */
export type AskedBy<T> = Asked<T> & Pick<Question<T>, 'again' | 'more' | 'change'>

/** Computes an answer while the component is mounted, and again when the key changes; an undefined key computes nothing. */
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
    // The read depends only on the key.
    // oxlint-disable-next-line react/exhaustive-deps
    [question, key, everyMs, afterMs, keeps],
  )
  const get = (): Asked<T> => question.get(key, keeps)
  const { again, more, change } = question
  return { ...useSyncExternalStore(subscribe, get, get), again, more, change }
}

/**
 * Requests a path of the platform while the component is mounted, and again when the path changes; undefined requests
 * nothing.
 */
export function useAsk<T>(
  path: string | undefined,
  answer: AnswerOf<T>,
  how?: AskedHow & { readonly first?: T },
): AskedBy<T> {
  const { ask } = useSite()
  return useRead(path, signal => ask(path ?? '', answer, { signal }), how)
}
