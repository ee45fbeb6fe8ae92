import type { Field, FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'

/** The version of the format, of every flow. */
export const FLOW_VERSION = 1

/** The source of wires that lead from the flow's own inputs. No step has this id. */
export const FLOW_INPUT = 'input'
/** The target of wires that lead to the flow's own outputs. No step has this id. */
export const FLOW_OUTPUT = 'output'

/**
 * A flow: steps, and wires that lead values from one to the next. It is data, no code; the same document is drawn,
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
  /** The outputs of a run; each is fed by a wire to `output`, whose source gives it its type. */
  readonly outputs: readonly string[]
  /** By id: letters, digits, `-` and `_`, beginning with a letter. */
  readonly steps: { readonly [id: string]: Step }
  readonly wires: readonly Wire[]
  /** Where each step is drawn, in pixels; says nothing about how it runs. */
  readonly layout?: { readonly [id: string]: { readonly x: number; readonly y: number } }
}

/** One port of one step, or of `input` or `output`. */
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
  /** Values of inputs that no wire feeds. */
  readonly constants?: JsonObject
  /**
   * Names of those constants that are not given away with the flow, such as a key; of a step `constant` or `default` its
   * `value`. Nothing else can be left out. The agent of a job sees them all the same.
   */
  readonly secret?: readonly string[]
  /** Outputs that must have come before it runs; it is skipped where one of them is. No value is taken from them. */
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
  /** One job for each item of a list that comes to this input, at most so many; each output is a list then. */
  readonly map?: { readonly port: string; readonly most: number }
}

/** The capability as it was when the flow was made; it is compared with the current one before each run. */
export interface PinnedCapability {
  readonly agent_name: string
  /** The `hash` of the capability on its agent's page. */
  readonly hash: string
  /** Decimal USDC. */
  readonly price: string
  /** Seconds that the agent may take. */
  readonly max_deadline_seconds: number
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
}

/** Changes a value at no price, on the platform. */
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

/** `object` with other names of its properties; those not named are not changed. */
export interface RenameStep extends StepBase {
  readonly kind: 'rename'
  /** Old name to new name. */
  readonly names: { readonly [name: string]: string }
}

/** One value out of an object or a list. */
export interface PickStep extends StepBase {
  readonly kind: 'pick'
  /** Names of properties and numbers of items, from the outside in: `["links", 0, "url"]`. */
  readonly path: readonly (string | number)[]
  /** Its type where the schema of what comes does not say; anything else that comes fails the step. */
  readonly gives?: Field
}

/** A text with values in it: each `{name}` is an input. `{{` and `}}` are braces. */
export interface TemplateStep extends StepBase {
  readonly kind: 'template'
  readonly text: string
}

/** The number that a text says. */
export interface ToNumberStep extends StepBase {
  readonly kind: 'to-number'
}

/** One text from a list of texts, numbers or booleans. */
export interface JoinStep extends StepBase {
  readonly kind: 'join'
  readonly separator: string
}

/** A list of texts from one. */
export interface SplitStep extends StepBase {
  readonly kind: 'split'
  /** At least one character. */
  readonly separator: string
  /** Items at most; more fail the step. */
  readonly most: number
}

/** A value that is always the same. */
export interface ConstantStep extends StepBase {
  readonly kind: 'constant'
  readonly value: JsonValue
}

/** The value that comes, or this one where none does: absent, null, or from a branch that was not taken. */
export interface DefaultStep extends StepBase {
  readonly kind: 'default'
  readonly value: JsonValue
}

/** The first of its inputs `1`, `2`, … that comes: branches join here. Skipped where none does. */
export interface FirstStep extends StepBase {
  readonly kind: 'first'
  /** How many inputs it has. */
  readonly count: number
}

/** Hands its `value` on by `then` or by `else`; what hangs on the other one is skipped. */
export interface BranchStep extends StepBase {
  readonly kind: 'branch'
  readonly condition: Condition
}

/** The condition of a branch. Comparisons are of numbers; another type goes to `else`. */
export type Condition =
  | { readonly is: 'equal-to'; readonly value: JsonValue }
  | { readonly is: 'there' }
  | { readonly is: 'less-than' | 'at-most' | 'greater-than' | 'at-least'; readonly value: number }
  | { readonly is: 'containing'; readonly value: string | number | boolean }

/** Waits for a person, who sees its `value`, and hands it on by `approved` or by `declined`. */
export interface ApprovalStep extends StepBase {
  readonly kind: 'approval'
  readonly question: string
}

/** Hands its `value` on when so many seconds have passed, or at the time that comes to `until` (RFC 3339). */
export interface WaitStep extends StepBase {
  readonly kind: 'wait'
  readonly seconds?: number
}
