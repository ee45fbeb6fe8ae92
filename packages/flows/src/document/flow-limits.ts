/** Every limit of a flow, defined once, with the unit in its name. */

/** Steps of one flow, without inputs and outputs. */
export const MAX_STEPS = 200
/** Wires of one flow. */
export const MAX_WIRES = 1_000
/** Inputs of a flow, and outputs of a flow. */
export const MAX_FLOW_FIELDS = 50
/** Jobs that one step may order for the items of a list. */
export const MAX_MAPPED_ITEMS = 100
/** Jobs of one run, items of lists counted at their declared maximum. */
export const MAX_JOBS = 500
/** Ports of an adapter that takes several values. */
export const MAX_ADAPTER_PORTS = 20
/** Constants of one step that may be marked as secret. */
export const MAX_SECRETS = 100
/** Characters of an adapter's output: as much text as fits into the body of an order. */
export const MAX_ADAPTER_CHARACTERS = 1_048_576
/** Items of a split text. */
export const MAX_SPLIT_ITEMS = 1_000
/** The longest wait of a step, in seconds. */
export const MAX_WAIT_SECONDS = 30 * 86_400
/** Characters of the document as JSON, pinned schemas included. */
export const MAX_FLOW_CHARACTERS = 1_048_576
/** Characters of all values of a run as JSON: outputs of its steps, and inputs of its jobs. */
export const MAX_RUN_CHARACTERS = 7 * 1_048_576
/** The same while no job of the run was ordered, in addition to twice the size of its flow and its input. */
export const MAX_UNORDERED_CHARACTERS = 65_536
