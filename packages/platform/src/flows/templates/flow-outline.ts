import { FLOW_VERSION, type Flow } from '@farebox/flows/document/flow'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { DraftFlow, DraftStep } from '../../checking/flows/pin-jobs.ts'

/** A template flow whose jobs are not yet assigned to agents. */
export interface FlowOutline {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly inputs: FieldMap
  readonly outputs: readonly string[]
  readonly steps: { readonly [id: string]: DraftStep }
  /** `<step>.<port> > <step>.<port>`. */
  readonly wires: readonly string[]
  /** Column and row of each step, including `input` and `output`. */
  readonly places: { readonly [id: string]: readonly [column: number, row: number] }
  /** A sample input. */
  readonly sample: JsonObject
}

/** The distances between cards; the card of a step with eight ports is up to 276 px high. */
const COLUMN_PX = 304
const ROW_PX = 300

/** The document of an outline. */
export function draftOf({
  name,
  description,
  inputs,
  outputs,
  steps,
  wires,
  places,
}: FlowOutline): DraftFlow {
  return {
    flow_version: FLOW_VERSION,
    name,
    description,
    inputs,
    outputs,
    steps,
    wires: wires.map(readWire),
    layout: Object.fromEntries(
      Object.entries(places).map(([id, [column, row]]) => [id, { x: column * COLUMN_PX, y: row * ROW_PX }]),
    ),
  }
}

function readWire(text: string): Flow['wires'][number] {
  const [, from, output, to, input] = /^([\w-]+)\.(.+) > ([\w-]+)\.(.+)$/.exec(text) ?? []
  if (from === undefined || output === undefined || to === undefined || input === undefined)
    throw new TypeError(`no wire: ${text}`)
  return { from: { step: from, port: output }, to: { step: to, port: input } }
}
