import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'

/** A flow of an owner with the document of one version, as the database driver returns it. */
export interface FlowColumns {
  readonly flow_id: string
  readonly name: string
  readonly revision: number
  readonly version: number
  readonly document: { readonly [key: string]: unknown }
  readonly created_at: Date
  readonly changed_at: Date
  readonly share_id: string | null
}

/** The columns of {@link FlowColumns} for a `select` from `flows` joined with `flow_versions`. */
export const FLOW_COLUMNS = `flows.flow_id, flow_versions.name, flows.revision, flow_versions.version,
  flow_versions.document, flows.created_at, flows.changed_at, flows.share_id`

/** Converts a row to the form of the API. */
export function toSavedFlow({ document, created_at, changed_at, ...columns }: FlowColumns): SavedFlow {
  return {
    ...columns,
    flow: document,
    created_at: created_at.getTime() / 1_000,
    changed_at: changed_at.getTime() / 1_000,
  }
}
