/** The largest request with a flow: its pinned schemas, and room for formatting. */
export const MAX_FLOW_BYTES = 2 * 1_048_576
