import { keepDraft, readDraft } from './draft-store.ts'
import { forgetLeftBehind, listLeftBehind } from './left-behind.ts'

/** Keeps what pages have left behind when they were closed, wherever it is newer than what is kept. */
export async function keepLeftBehind(): Promise<void> {
  for (const left of listLeftBehind()) {
    const kept = await readDraft(left.draft_id)
    if (left.changed_at > (kept?.changed_at ?? 0)) await keepDraft(left)
    forgetLeftBehind(left.draft_id)
  }
}
