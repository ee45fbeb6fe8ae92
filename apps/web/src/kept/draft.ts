import type { Flow } from '@farebox/flows/document/flow'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A flow that was made in this browser. A reader who is signed in can save it on the platform too. */
export interface Draft {
  /** UUID v4; the key, and its place under `/flows/`. */
  readonly draft_id: string
  readonly flow: Flow
  /** Values of its inputs: those of a template, or those of the last run. */
  readonly input: JsonObject
  /** The saved flow that it is a working copy of. */
  readonly saved?: { readonly flow_id: string; readonly revision: number }
  /** It has changes that the platform does not have. */
  readonly is_ahead?: boolean
  /** Unix seconds. */
  readonly created_at: number
  /** Unix seconds. */
  readonly changed_at: number
}

/** The sentence for a draft that was not opened. */
export const NO_DRAFTS = 'This browser cannot save drafts right now.'

/** Keeps a flow as a new draft of this browser, and goes there. Rejects where this browser keeps nothing. */
export async function openDraft(
  go: (url: string) => void,
  flow: Flow,
  { input, query = '' }: { readonly input?: JsonObject; readonly query?: string } = {},
): Promise<void> {
  const { keepDraft } = await import('./draft-store.ts')
  const draft = createDraft(flow, input)
  await keepDraft(draft)
  go(`/flows/${draft.draft_id}${query}`)
}

/** A draft of a flow, not kept yet. */
export function createDraft(flow: Flow, input: JsonObject = {}): Draft {
  const now = Date.now() / 1_000
  return { draft_id: crypto.randomUUID(), flow, input, created_at: now, changed_at: now }
}
