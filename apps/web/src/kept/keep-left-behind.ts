import { keepDraft, readDraft } from './draft-store.ts'
import { forgetLeftBehind, listLeftBehind } from './left-behind.ts'

/** Stores the changes that closed pages have left behind, if they are newer than the stored drafts. */
export async function keepLeftBehind(): Promise<void> {
  for (const left of listLeftBehind()) {
    const kept = await readDraft(left.draft_id)
    if (left.changed_at > (kept?.changed_at ?? 0)) await keepDraft(left)
    forgetLeftBehind(left.draft_id)
  }
}
