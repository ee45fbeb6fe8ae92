import { openBrowserDatabase, notifyChange, watchChanges } from './database.ts'
import type { Draft } from './draft.ts'
import { forgetLeftBehind } from './left-behind.ts'

/** Stores a new or changed draft. */
export async function keepDraft(draft: Draft): Promise<void> {
  await (await openBrowserDatabase()).put('drafts', draft)
  notifyChange('drafts', draft.draft_id)
}

/**
 * Stores a draft, unless another tab has changed it since it was read or written here.
 *
 * @param before `changed_at` of the expected stored version; undefined when none is expected
 * @returns the draft that is then stored: this one, or that of another tab that was faster
 */
export async function keepDraftOver(draft: Draft, before: number | undefined): Promise<Draft> {
  const writing = (await openBrowserDatabase()).transaction('drafts', 'readwrite')
  const kept = await writing.store.get(draft.draft_id)
  const isLate = kept !== undefined && kept.changed_at !== before
  if (!isLate) await writing.store.put(draft)
  await writing.done
  if (isLate) return kept
  notifyChange('drafts', draft.draft_id)
  return draft
}

/** A draft of this browser; undefined when there is none with that id. */
export async function readDraft(draftId: string): Promise<Draft | undefined> {
  return await (await openBrowserDatabase()).get('drafts', draftId)
}

/** All drafts of this browser, the newest change first. */
export async function listDrafts(): Promise<readonly Draft[]> {
  return (await (await openBrowserDatabase()).getAllFromIndex('drafts', 'by-time')).toReversed()
}

/** Deletes a draft permanently. */
export async function removeDraft(draftId: string): Promise<void> {
  forgetLeftBehind(draftId)
  await (await openBrowserDatabase()).delete('drafts', draftId)
  notifyChange('drafts', draftId)
}

/** Reports the drafts that change in this tab or another. Returns a function that stops it. */
export function watchDrafts(report: (draftId: string) => void): () => void {
  return watchChanges('drafts', report)
}
