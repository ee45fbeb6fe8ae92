import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'

/** The version of the format; the same for all flows. */
export const FLOW_VERSION = 1

/** The source of wires that lead from the flow's own inputs. No step has this id. */
export const FLOW_INPUT = 'input'
/** The target of wires that lead to the flow's own outputs. No step has this id. */
export const FLOW_OUTPUT = 'output'

/**
 * A flow: steps, and wires that lead values from one step to another. It is data, not code; the same document is drawn,
 * checked, priced and run.
 *
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 *
 * export const greeting: Flow = {
 *   flow_version: 1,
 *   name: 'Greeting',
 *   inputs: { name: { type: 'string', required: true } },
 *   outputs: ['text'],
 *   steps: { words: { kind: 'template', text: 'Hello {name}' } },
 *   wires: [
 *     { from: { step: 'input', port: 'name' }, to: { step: 'words', port: 'name' } },
 *     { from: { step: 'words', port: 'text' }, to: { step: 'output', port: 'text' } },
 *   ],
 * }
 * ```
 */
export interface Flow {
  readonly flow_version: typeof FLOW_VERSION
  readonly name: string
  readonly description?: string
  /** The inputs of a run, in the field language. */
  readonly inputs: FieldMap
  /** The outputs of a run; each is fed by a wire to `output`, whose source determines its type. */
  readonly outputs: readonly string[]
  /** By id: letters, digits, `-` and `_`, beginning with a letter. */
  readonly steps: { readonly [id: string]: Step }
  readonly wires: readonly Wire[]
  /** The position of each step in the drawing, in pixels; has no effect on a run. */
  readonly layout?: { readonly [id: string]: { readonly x: number; readonly y: number } }
}

/** A port of a step, or of `input` or `output`. */
export interface PortRef {
  readonly step: string
  readonly port: string
}

/** Leads the value of an output to an input. An input has one wire or one constant, never both. */
export interface Wire {
  readonly from: PortRef
  readonly to: PortRef
}

/** The fields of all steps. */
export interface StepBase {
  /** Its name for people; without one it is named after its kind. */
  readonly label?: string
  /** Values of inputs without a wire. */
  readonly constants?: JsonObject
  /**
   * Names of the constants that are removed when the flow is shared, such as a key; for a step `constant` or `default` its
   * `value`. Nothing else can be removed. The agent of a job receives them anyway.
   */
  readonly secret?: readonly string[]
  /**
   * Outputs that must have a value before the step runs; it is skipped if one of them is skipped. Their values are not used.
   */
  readonly after?: readonly PortRef[]
}

/** One step of a flow. */
export type Step = JobStep | AdapterStep | BranchStep | ApprovalStep | WaitStep

/** A paid job of an agent. */
export interface JobStep extends StepBase {
  readonly kind: 'job'
  readonly agent_id: number
  readonly capability: string
  readonly pinned: PinnedCapability
  /** One job for each item of a list at this input, at most this many; each output then is a list. */
  readonly map?: { readonly port: string; readonly most: number }
}

/** The capability at the time when the flow was created; compared with the current one before each run. */
export interface PinnedCapability {
  readonly agent_name: string
  /** The `hash` of the capability on its agent's page. */
  readonly hash: string
  /** Decimal USDC. */
  readonly price: string
  /** The most seconds that the agent may take. */
  readonly max_deadline_seconds: number
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
}

/** Changes a value free of charge, on the platform. */
export type AdapterStep =
  | RenameStep
  | PickStep
  | TemplateStep
  | ToNumberStep
  | JoinStep
  | SplitStep
  | ConstantStep
  | DefaultStep
  | FirstStep

/** Renames properties of an `object`; properties without a new name are unchanged. */
export interface RenameStep extends StepBase {
  readonly kind: 'rename'
  /** Old name to new name. */
  readonly names: { readonly [name: string]: string }
}

/** Takes one value out of an object or a list. */
export interface PickStep extends StepBase {
  readonly kind: 'pick'
  /** Names of properties and indexes of items, from the outside in: `["links", 0, "url"]`. */
  readonly path: readonly (string | number)[]
  /** Its type if the schema of the input does not declare it; a value of another type fails the step. */
  readonly gives?: Field
}

/** A text with inserted values: each `{name}` is an input. `{{` and `}}` are braces. */
export interface TemplateStep extends StepBase {
  readonly kind: 'template'
  readonly text: string
}

/** The number that a text contains. */
export interface ToNumberStep extends StepBase {
  readonly kind: 'to-number'
}

/** Joins a list of texts, numbers or booleans to one text. */
export interface JoinStep extends StepBase {
  readonly kind: 'join'
  readonly separator: string
}

/** Splits a text into a list of texts. */
export interface SplitStep extends StepBase {
  readonly kind: 'split'
  /** At least one character. */
  readonly separator: string
  /** The most items; more fail the step. */
  readonly most: number
}

/** A constant value. */
export interface ConstantStep extends StepBase {
  readonly kind: 'constant'
  readonly value: JsonValue
}

/** The value of the input, or this one if the input is absent, null, or from a branch that was not taken. */
export interface DefaultStep extends StepBase {
  readonly kind: 'default'
  readonly value: JsonValue
}

/** The first of its inputs `1`, `2`, … that has a value: it joins branches. Skipped if no input has one. */
export interface FirstStep extends StepBase {
  readonly kind: 'first'
  /** The number of its inputs. */
  readonly count: number
}

/** Passes its `value` on by `then` or by `else`; steps that depend on the other port are skipped. */
export interface BranchStep extends StepBase {
  readonly kind: 'branch'
  readonly condition: Condition
}

/** The condition of a branch. Comparisons are of numbers; a value of another type goes to `else`. */
export type Condition =
  | { readonly is: 'equal-to'; readonly value: JsonValue }
  | { readonly is: 'there' }
  | { readonly is: 'less-than' | 'at-most' | 'greater-than' | 'at-least'; readonly value: number }
  | { readonly is: 'containing'; readonly value: string | number | boolean }

/** Waits for a person, who sees its `value`, and passes it on by `approved` or by `declined`. */
export interface ApprovalStep extends StepBase {
  readonly kind: 'approval'
  readonly question: string
}

/** Passes its `value` on after this many seconds, or at the time given by the input `until` (RFC 3339). */
export interface WaitStep extends StepBase {
  readonly kind: 'wait'
  readonly seconds?: number
}
