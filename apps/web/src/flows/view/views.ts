import type { GradedWire } from '@farebox/flows/internal/check/check-wires'
import type { Finding } from '@farebox/flows/internal/check/finding'
import type { PortRef, Step } from '@farebox/flows/document/flow'
import type { FieldType, JsonValue } from '@farebox/protocol/fields/field'

/** The type shown by the shape of a port; `any`: only the run will determine it. */
export type ShownType = FieldType | 'any'

/** The source of an input. */
export type Feed =
  | { readonly by: 'wire'; readonly from: PortRef; readonly words: string; readonly grade: WireView['grade'] }
  | { readonly by: 'value'; readonly value: JsonValue }
  | { readonly by: 'nothing'; readonly standard: JsonValue | undefined }

/** A port for display and for screen readers. */
export interface PortView {
  readonly side: 'in' | 'out'
  readonly name: string
  readonly type: ShownType
  readonly required: boolean
  /** `new`: the capability got the port after the flow was made; `gone`: the port has a wire but no longer exists. */
  readonly state: 'there' | 'new' | 'gone'
  /** Set for inputs only. */
  readonly feed: Feed | undefined
  /** The severity of its most severe finding. */
  readonly finding: Finding['severity'] | undefined
  /** A full description: `text, string, required, input of Summary, fed by flow input article`. */
  readonly words: string
}

/** A step, or one end of the flow, for display and for screen readers. */
export interface NodeView {
  readonly id: string
  readonly kind: Step['kind'] | 'input' | 'output'
  readonly name: string
  /** Decimal USDC; undefined for steps without a price. */
  readonly price: string | undefined
  /** Its purpose in a few words: a template's text, a branch's question. Empty for jobs and ends. */
  readonly line: string
  /** Set for jobs only. */
  readonly job:
    | { readonly agentId: number; readonly capability: string; readonly most: number | undefined }
    | undefined
  readonly inputs: readonly PortView[]
  readonly outputs: readonly PortView[]
  readonly after: readonly PortRef[]
  readonly finding: Finding['severity'] | undefined
}

/** A wire for display. */
export interface WireView {
  /** `keyOfInput` of the input that it leads to; a second wire to the same input has a number appended. */
  readonly id: string
  readonly from: PortRef
  readonly to: PortRef
  readonly grade: GradedWire['grade']
  readonly reason: string
  /** The type of its value. */
  readonly type: ShownType
  /** The text on the wire; empty when there is none. */
  readonly tag: string
}
