import type { Field, JsonValue } from '@farebox/protocol/fields/field'
import type { PortRef, Step } from '../document/flow.ts'

/** One change of a flow: what the canvas, the outline, a proposed repair and a test all do. */
export type Edit =
  | { readonly edit: 'add-step'; readonly id: string; readonly step: Step; readonly at?: CanvasPoint }
  /** Its wires go with it. */
  | { readonly edit: 'remove-step'; readonly id: string }
  /** Another step in its place; the wires stay, also those that lead nowhere then. */
  | { readonly edit: 'replace-step'; readonly id: string; readonly step: Step }
  | { readonly edit: 'move-step'; readonly id: string; readonly at: CanvasPoint }
  /** In place of what fed the input before. */
  | { readonly edit: 'connect'; readonly from: PortRef; readonly to: PortRef }
  | { readonly edit: 'disconnect'; readonly to: PortRef }
  /** In place of the wire that fed the input. */
  | { readonly edit: 'set-constant'; readonly to: PortRef; readonly value: JsonValue }
  | { readonly edit: 'clear-constant'; readonly to: PortRef }
  /** Whether a constant stays behind when the flow is given away; of a step `constant` or `default` its `value`. */
  | { readonly edit: 'mark-secret'; readonly to: PortRef; readonly secret: boolean }
  /** Puts a step into a wire: what came to `to` comes to its input `takes`, and `to` gets its output `gives`. */
  | {
      readonly edit: 'insert-step'
      readonly id: string
      readonly step: Step
      readonly to: PortRef
      readonly takes: string
      readonly gives: string
    }
  | { readonly edit: 'set-input'; readonly name: string; readonly field: Field }
  /** It stays where it is among the others, and keeps its wires. */
  | { readonly edit: 'rename-input'; readonly name: string; readonly to: string }
  /** Its wires go with it. */
  | { readonly edit: 'remove-input'; readonly name: string }
  | { readonly edit: 'add-output'; readonly name: string }
  /** It stays where it is among the others, and keeps its wire. */
  | { readonly edit: 'rename-output'; readonly name: string; readonly to: string }
  /** Its wire goes with it. */
  | { readonly edit: 'remove-output'; readonly name: string }
  | { readonly edit: 'rename-flow'; readonly name: string }

/** The upper left corner of a step on the canvas, in pixels. */
export interface CanvasPoint {
  readonly x: number
  readonly y: number
}
