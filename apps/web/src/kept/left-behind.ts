import type { Draft } from './draft.ts'

/**
 * Saves the last change when a page is closed, in storage that writes at once: a database may not have the time. Where
 * the browser gives the page no storage, or too little, the last third of a second is lost.
 */
export function leaveBehind(draft: Draft): void {
  try {
    localStorage.setItem(keyOf(draft.draft_id), JSON.stringify(draft))
  } catch {
    // Storage is full or missing: see above.
  }
}

/** All changes that were left behind. Each is newer than the stored draft, or was stored since. Unreadable ones count as none. */
export function listLeftBehind(): readonly Draft[] {
  try {
    return Object.keys(localStorage)
      .filter(key => key.startsWith(PREFIX))
      .map(key => JSON.parse(localStorage.getItem(key) ?? '') as Draft)
  } catch {
    return []
  }
}

/** Removes one that was stored or is not needed. */
export function forgetLeftBehind(draftId: string): void {
  try {
    localStorage.removeItem(keyOf(draftId))
  } catch {
    // Nothing was left there.
  }
}

const PREFIX = 'farebox-draft-'

function keyOf(draftId: string): string {
  return `${PREFIX}${draftId}`
}
