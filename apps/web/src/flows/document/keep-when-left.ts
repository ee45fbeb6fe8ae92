import type { Draft } from '../../kept/draft.ts'
import type { Autosave } from './autosave.ts'
import type { FlowStore } from './flow-store.ts'

/** A page that can go away, as a browser has it. */
export interface LeftPage {
  readonly window: EventTarget
  readonly document: EventTarget & { readonly visibilityState: string }
  /** Where a page that is going away still can leave something, at once. */
  leave(draft: Draft): void
  /** Unix seconds. */
  now(): number
}

/**
 * Keeps the last change when the page is left: hidden, which may be its last event on a phone, or closed. Changes that
 * the autosave waits for, or is writing at that moment, may never be written: they are left behind as well.
 *
 * @returns what ends it
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
