import { openDatabase, tellChange, watchChanges } from './database.ts'
import type { Draft } from './draft.ts'
import { forgetLeftBehind } from './left-behind.ts'

/** Writes a draft, or what it is now. */
export async function keepDraft(draft: Draft): Promise<void> {
  await (await openDatabase()).put('drafts', draft)
  tellChange('drafts', draft.draft_id)
}

/**
 * Writes a draft over the one that was read or written last, and over no other.
 *
 * @param before `changed_at` of that one; undefined: there is none so far
 * @returns the draft that is kept then: this one, or that of another tab, which was quicker
 */
export async function keepDraftOver(draft: Draft, before: number | undefined): Promise<Draft> {
  const writing = (await openDatabase()).transaction('drafts', 'readwrite')
  const kept = await writing.store.get(draft.draft_id)
  const isLate = kept !== undefined && kept.changed_at !== before
  if (!isLate) await writing.store.put(draft)
  await writing.done
  if (isLate) return kept
  tellChange('drafts', draft.draft_id)
  return draft
}

/** A draft of this browser; undefined: it has none of that id. */
export async function readDraft(draftId: string): Promise<Draft | undefined> {
  return await (await openDatabase()).get('drafts', draftId)
}

/** All drafts of this browser, the newest change first. */
export async function listDrafts(): Promise<readonly Draft[]> {
  return (await (await openDatabase()).getAllFromIndex('drafts', 'by-time')).toReversed()
}

/** Deletes a draft for good. */
export async function removeDraft(draftId: string): Promise<void> {
  forgetLeftBehind(draftId)
  await (await openDatabase()).delete('drafts', draftId)
  tellChange('drafts', draftId)
}

/** Tells of drafts that change, in this tab or in another; resolves to what ends it. */
export function watchDrafts(tell: (draftId: string) => void): () => void {
  return watchChanges('drafts', tell)
}
