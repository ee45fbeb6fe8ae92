import type { Draft } from '../../kept/draft.ts'
import type { Autosave } from './autosave.ts'
import type { FlowStore } from './flow-store.ts'

/** A page that can be hidden or closed, as a browser provides it. */
export interface LeftPage {
  readonly window: EventTarget
  readonly document: EventTarget & { readonly visibilityState: string }
  /** Saves a draft synchronously, for a page that is being closed. */
  leave(draft: Draft): void
  /** Unix seconds. */
  now(): number
}

/**
 * Saves the last change when the page is hidden, which may be its last event on a phone, or closed. Changes that the
 * autosave is still delaying or writing at that moment may never be stored, so they are left behind as well.
 *
 * @returns a function that stops it
 */
export function keepWhenLeft(store: FlowStore, autosave: Autosave, page: LeftPage): () => void {
  const keep = (): void => {
    const { flow } = store.state()
    const draft = autosave.draft()
    const changedAt = Math.max(page.now(), draft.changed_at + 0.001)
    if (flow !== draft.flow) page.leave({ ...draft, flow, is_ahead: true, changed_at: changedAt })
    void autosave.flush()
  }
  const keepWhereHidden = (): void => {
    if (page.document.visibilityState === 'hidden') keep()
  }
  page.document.addEventListener('visibilitychange', keepWhereHidden)
  page.window.addEventListener('pagehide', keep)
  return () => {
    page.document.removeEventListener('visibilitychange', keepWhereHidden)
    page.window.removeEventListener('pagehide', keep)
  }
}
