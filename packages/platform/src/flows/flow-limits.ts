/** Of a request with a whole flow, the schemas that are pinned in it, and some room for how it is written. */
export const MAX_FLOW_BYTES = 2 * 1_048_576
