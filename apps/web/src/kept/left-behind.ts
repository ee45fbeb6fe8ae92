import type { Draft } from './draft.ts'

/**
 * Leaves what was changed last where a page that is going away still can: a database needs a moment that it may not
 * have. Browsers may keep nothing for a page, or too little: then the last third of a second is lost.
 */
export function leaveBehind(draft: Draft): void {
  try {
    localStorage.setItem(keyOf(draft.draft_id), JSON.stringify(draft))
  } catch {
    // See above.
  }
}

/** Takes it up again: what is there is newer than what is kept, or was kept meanwhile. */
export function takeLeftBehind(draftId: string): Draft | undefined {
  try {
    const text = localStorage.getItem(keyOf(draftId))
    localStorage.removeItem(keyOf(draftId))
    return text === null ? undefined : (JSON.parse(text) as Draft)
  } catch {
    return undefined
  }
}

function keyOf(draftId: string): string {
  return `farebox-draft-${draftId}`
}
