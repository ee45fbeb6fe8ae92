import { useState, useSyncExternalStore } from 'react'
import { explainFailure } from './ask.ts'

/** How far what a button does is. */
export type Acting =
  | { readonly state: 'idle' }
  | { readonly state: 'busy' }
  | { readonly state: 'failed'; readonly sentence: string; readonly error: unknown }

/** Work on a result, if any. */
type Done = (() => void) | undefined | void

/**
 * The work of a button. It resolves to the work on its result, which is left out where its component is gone by then;
 * the signal aborts at that moment.
 */
type Run = (signal: AbortSignal) => Promise<Done>

/** Work that is done at most once at a time, while its component is there. */
export interface Action {
  get(): Acting
  /** Somebody is there until the returned function is called. */
  open(changed: () => void): () => void
  /** Does nothing where something is being done. */
  start(run: Run, explain: (error: unknown) => string): void
  /** Forgets a failure. */
  forget(): void
}

const IDLE: Acting = { state: 'idle' }

/** Makes an action that was not begun. */
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
 * @param run gets a signal that aborts when the component is gone, then what `act` was called with
 * @param explain a failure, in a sentence
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
