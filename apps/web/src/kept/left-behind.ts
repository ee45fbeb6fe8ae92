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

/** All that was left: each is newer than what is kept, or was kept meanwhile. What cannot be read is none. */
export function listLeftBehind(): readonly Draft[] {
  try {
    return Object.keys(localStorage)
      .filter(key => key.startsWith(PREFIX))
      .map(key => JSON.parse(localStorage.getItem(key) ?? '') as Draft)
  } catch {
    return []
  }
}

/** Takes one away, which is kept or not wanted any more. */
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
