/** Every bound of a flow, written once, the unit in the name. */

/** Steps of one flow, inputs and outputs aside. */
export const MAX_STEPS = 200
/** Wires of one flow. */
export const MAX_WIRES = 1_000
/** Inputs, and outputs, of a whole flow. */
export const MAX_FLOW_FIELDS = 50
/** Jobs that one step may order for the items of a list. */
export const MAX_MAPPED_ITEMS = 100
/** Jobs of one run, items of lists counted at their declared maximum. */
export const MAX_JOBS = 500
/** Ports of an adapter that takes several values. */
export const MAX_ADAPTER_PORTS = 20
/** Constants of one step that may be marked as secret. */
export const MAX_SECRETS = 100
/** Characters of what an adapter makes: as much text as fits an order's body. */
export const MAX_ADAPTER_CHARACTERS = 1_048_576
/** Items that splitting a text gives. */
export const MAX_SPLIT_ITEMS = 1_000
/** How long a step may wait for a time, in seconds. */
export const MAX_WAIT_SECONDS = 30 * 86_400
/** Characters of the document as JSON, pinned schemas included. */
export const MAX_FLOW_CHARACTERS = 1_048_576
/** Characters of all values of a run as JSON: what its steps gave, and what its jobs are asked. */
export const MAX_RUN_CHARACTERS = 7 * 1_048_576
/** The same while nothing of the run was ordered, beside twice what it was given: its flow and its input. */
export const MAX_UNORDERED_CHARACTERS = 65_536
