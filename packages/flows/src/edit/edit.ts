import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import type { PortRef, Step } from '../document/flow.ts'

/** One change of a flow, as made by the canvas, the outline, a repair or a test. */
export type Edit =
  | { readonly edit: 'add-step'; readonly id: string; readonly step: Step; readonly at?: CanvasPoint }
  /** Also removes its wires. */
  | { readonly edit: 'remove-step'; readonly id: string }
  /** Replaces the step; all wires are kept, even those that lead to missing ports then. */
  | { readonly edit: 'replace-step'; readonly id: string; readonly step: Step }
  | { readonly edit: 'move-step'; readonly id: string; readonly at: CanvasPoint }
  /** Replaces the earlier source of the input. */
  | { readonly edit: 'connect'; readonly from: PortRef; readonly to: PortRef }
  | { readonly edit: 'disconnect'; readonly to: PortRef }
  /** Replaces the wire of the input. */
  | { readonly edit: 'set-constant'; readonly to: PortRef; readonly value: JsonValue }
  | { readonly edit: 'clear-constant'; readonly to: PortRef }
  /** Marks a constant to be removed when the flow is shared; for a step `constant` or `default` its `value`. */
  | { readonly edit: 'mark-secret'; readonly to: PortRef; readonly secret: boolean }
  /** Inserts a step into a wire: the source of `to` then feeds its input `takes`, and its output `gives` feeds `to`. */
  | {
      readonly edit: 'insert-step'
      readonly id: string
      readonly step: Step
      readonly to: PortRef
      readonly takes: string
      readonly gives: string
    }
  | { readonly edit: 'set-input'; readonly name: string; readonly field: Field }
  /** Its position and its wires are kept. */
  | { readonly edit: 'rename-input'; readonly name: string; readonly to: string }
  /** Also removes its wires. */
  | { readonly edit: 'remove-input'; readonly name: string }
  | { readonly edit: 'add-output'; readonly name: string }
  /** Its position and its wire are kept. */
  | { readonly edit: 'rename-output'; readonly name: string; readonly to: string }
  /** Also removes its wire. */
  | { readonly edit: 'remove-output'; readonly name: string }
  | { readonly edit: 'rename-flow'; readonly name: string }

/** The upper left corner of a step on the canvas, in pixels. */
export interface CanvasPoint {
  readonly x: number
  readonly y: number
}
