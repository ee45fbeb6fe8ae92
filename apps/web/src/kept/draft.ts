import type { Flow } from '@farebox/flows/document/flow'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A flow made in this browser. A signed-in reader can also save it on the platform. */
export interface Draft {
  /** UUID v4; the key in the store, and the last segment of the path `/flows/…`. */
  readonly draft_id: string
  readonly flow: Flow
  /** Values of its inputs, from a template or the last run. */
  readonly input: JsonObject
  /** The saved flow of which this draft is a working copy. */
  readonly saved?: { readonly flow_id: string; readonly revision: number }
  /** Whether it has changes that the platform does not have. */
  readonly is_ahead?: boolean
  /** Unix seconds. */
  readonly created_at: number
  /** Unix seconds. */
  readonly changed_at: number
}

/** The message for a draft that could not be opened. */
export const NO_DRAFTS = 'This browser cannot save drafts right now.'

/** Stores a flow as a new draft of this browser and navigates to it. Rejects when this browser cannot store it. */
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

/** Creates a draft of a flow without storing it. */
export function createDraft(flow: Flow, input: JsonObject = {}): Draft {
  const now = Date.now() / 1_000
  return { draft_id: crypto.randomUUID(), flow, input, created_at: now, changed_at: now }
}
