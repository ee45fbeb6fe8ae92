import type { Draft } from './draft.ts'

/**
 * Saves the last change when a page is closed, in synchronous storage, because a database may not have enough time. If the
 * browser provides no storage, or too little, the changes of the last third of a second are lost.
 */
export function leaveBehind(draft: Draft): void {
  try {
    localStorage.setItem(keyOf(draft.draft_id), JSON.stringify(draft))
  } catch {
    // The storage is full or missing; see above.
  }
}

/**
 * All changes left behind. Each is newer than the stored draft, or has been stored since. Unreadable entries are skipped.
 */
export function listLeftBehind(): readonly Draft[] {
  try {
    return Object.keys(localStorage)
      .filter(key => key.startsWith(PREFIX))
      .map(key => JSON.parse(localStorage.getItem(key) ?? '') as Draft)
  } catch {
    return []
  }
}

/** Removes a draft that has been stored or is no longer needed. */
export function forgetLeftBehind(draftId: string): void {
  try {
    localStorage.removeItem(keyOf(draftId))
  } catch {
    // The storage is missing, so it holds nothing.
  }
}

const PREFIX = 'farebox-draft-'

function keyOf(draftId: string): string {
  return `${PREFIX}${draftId}`
}
