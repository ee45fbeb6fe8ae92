import { useState, useSyncExternalStore } from 'react'
import { explainFailure } from './ask.ts'

/** The state of the work of a button. */
export type Acting =
  | { readonly state: 'idle' }
  | { readonly state: 'busy' }
  | { readonly state: 'failed'; readonly sentence: string; readonly error: unknown }

/** The work on the result, if any. */
type Done = (() => void) | undefined | void

/**
 * The work of a button. It resolves to the work on its result, which is skipped if the component has unmounted meanwhile;
 * the signal aborts at that moment.
 */
type Run = (signal: AbortSignal) => Promise<Done>

/** Work that runs at most once at a time while its component is mounted. */
export interface Action {
  get(): Acting
  /** Marks the component as mounted until the returned function is called. */
  open(changed: () => void): () => void
  /** Does nothing while other work is running. */
  start(run: Run, explain: (error: unknown) => string): void
  /** Clears a failure. */
  forget(): void
}

const IDLE: Acting = { state: 'idle' }

/** Creates an action that has not been started. */
export function createAction(): Action {
  let acting = IDLE
  let opened: { readonly changed: () => void; readonly left: AbortController } | undefined
  const say = (next: Acting): void => {
    acting = next
    opened?.changed()
  }
  const act = async (run: Run, explain: (error: unknown) => string, signal: AbortSignal): Promise<void> => {
    try {
      const done = await run(signal)
      say(IDLE)
      if (!signal.aborted && done !== undefined) done()
    } catch (error) {
      say(signal.aborted ? IDLE : { state: 'failed', sentence: explain(error), error })
    }
  }
  return {
    get: () => acting,
    open(changed) {
      const left = new AbortController()
      opened = { changed, left }
      return () => {
        opened = undefined
        left.abort(new Error('the page was left'))
      }
    },
    start(run, explain) {
      if (opened === undefined || acting.state === 'busy') return
      say({ state: 'busy' })
      void act(run, explain, opened.left.signal)
    },
    forget() {
      if (acting.state === 'failed') say(IDLE)
    },
  }
}

/**
 * The work of a button, as {@link Action} describes it.
 *
 * @param run receives a signal that aborts when the component unmounts, followed by the arguments of `act`
 * @param explain converts a failure to one sentence
 */
export function useAction<Args extends readonly unknown[]>(
  run: (signal: AbortSignal, ...args: Args) => Promise<Done>,
  explain: (error: unknown) => string = explainFailure,
): Acting & { readonly act: (...args: Args) => void; readonly forget: () => void } {
  const [action] = useState(createAction)
  const acting = useSyncExternalStore(action.open, action.get, action.get)
  return {
    ...acting,
    act: (...args) => action.start(signal => run(signal, ...args), explain),
    forget: action.forget,
  }
}
