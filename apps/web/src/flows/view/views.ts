import type { GradedWire } from '@farebox/flows/internal/check/check-wires'
import type { Finding } from '@farebox/flows/internal/check/finding'
import type { PortRef, Step } from '@farebox/flows/document/flow'
import type { FieldType, JsonValue } from '@farebox/protocol/fields/field'

/** The type that a port's shape shows; `any`: only the run will show it. */
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
  /** `new`: the capability has it since the flow was made; `gone`: it is joined, and is not there any more. */
  readonly state: 'there' | 'new' | 'gone'
  /** Of inputs alone. */
  readonly feed: Feed | undefined
  /** The worst that was found at it. */
  readonly finding: Finding['severity'] | undefined
  /** The whole of it in words: `text, string, required, input of Summary, fed by flow input article`. */
  readonly words: string
}

/** A step, or one end of the flow, for display and for screen readers. */
export interface NodeView {
  readonly id: string
  readonly kind: Step['kind'] | 'input' | 'output'
  readonly name: string
  /** Decimal USDC; undefined: free, or nothing that has a price. */
  readonly price: string | undefined
  /** Its purpose in a few words: a template's text, a branch's question. Empty for jobs and ends. */
  readonly line: string
  /** Of jobs. */
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
  /** `keyOfInput` of what it leads to; a second one to the same input has its number behind it. */
  readonly id: string
  readonly from: PortRef
  readonly to: PortRef
  readonly grade: GradedWire['grade']
  readonly reason: string
  /** Of what goes through it. */
  readonly type: ShownType
  /** The words on the wire; empty: none. */
  readonly tag: string
}
