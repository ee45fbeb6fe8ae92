import { FLOW_VERSION, type Flow, type PortRef, type Step } from '../document/flow.ts'
import { MAX_STEPS, MAX_WIRES } from '../document/flow-limits.ts'
import { freeStepId } from './apply-edit.ts'
import type { Edit, CanvasPoint } from './edit.ts'

/**
 * Copies steps of a flow, with the wires between them, into a new flow: it can be put on a clipboard as JSON, and `readFlow`
 * reads it.
 *
 * @param ids ids of missing steps are ignored
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { copySteps } from '@farebox/flows/edit/copy-steps'
 *
 * export function clipboardText(flow: Flow, selected: readonly string[]): string {
 *   return JSON.stringify(copySteps(flow, selected))
 * }
 * ```
 */
export function copySteps(flow: Flow, ids: readonly string[]): Flow {
  const chosen = new Set(ids)
  const among = <T>(values: { readonly [id: string]: T }): { [id: string]: T } =>
    Object.fromEntries(Object.entries(values).filter(([id]) => chosen.has(id)))
  return {
    flow_version: FLOW_VERSION,
    name: flow.name,
    inputs: {},
    outputs: [],
    steps: among(flow.steps),
    wires: flow.wires.filter(({ from, to }) => chosen.has(from.step) && chosen.has(to.step)),
    ...(flow.layout !== undefined && { layout: among(flow.layout) }),
  }
}

/** The edits that insert copied steps into a flow, or the reason why that is impossible. */
export type Pasted =
  | {
      readonly ok: true
      readonly edits: readonly Edit[]
      /** Their new ids, by the original ids. */
      readonly ids: ReadonlyMap<string, string>
    }
  | { readonly ok: false; readonly reason: string }

/** The offset of a copy from its original, in pixels. */
const ASIDE: CanvasPoint = { x: 40, y: 40 }

/**
 * The edits that insert copied steps into a flow, under unused ids. Inputs that were fed by steps outside of the copy stay
 * open.
 *
 * @param copied a result of {@link copySteps}, from this flow or another
 * @param at the position of the upper left corner; default: slightly offset from the original
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { applyEdits } from '@farebox/flows/edit/apply-edit'
 * import { copySteps, pasteSteps } from '@farebox/flows/edit/copy-steps'
 *
 * export function duplicate(flow: Flow, step: string): Flow {
 *   const pasted = pasteSteps(flow, copySteps(flow, [step]))
 *   return pasted.ok ? applyEdits(flow, pasted.edits) : flow
 * }
 * ```
 */
export function pasteSteps(flow: Flow, copied: Flow, at?: CanvasPoint): Pasted {
  const count = Object.keys(flow.steps).length + Object.keys(copied.steps).length
  if (count > MAX_STEPS)
    return { ok: false, reason: `A flow has at most ${MAX_STEPS} steps, this would be ${count}.` }
  const wires = copied.wires.filter(
    ({ from, to }) => Object.hasOwn(copied.steps, from.step) && Object.hasOwn(copied.steps, to.step),
  )
  if (flow.wires.length + wires.length > MAX_WIRES)
    return {
      ok: false,
      reason: `A flow has at most ${MAX_WIRES} wires, this would be ${flow.wires.length + wires.length}.`,
    }
  const ids = freeIds(flow, copied)
  const moved = ({ step, port }: PortRef): PortRef => ({ step: ids.get(step) ?? step, port })
  const shift = shiftOf(copied, at)
  const added = Object.entries(copied.steps).map(([id, step]): Edit => {
    const place =
      copied.layout !== undefined && Object.hasOwn(copied.layout, id) ? copied.layout[id] : undefined
    return {
      edit: 'add-step',
      id: ids.get(id) ?? id,
      step: withinCopy(step, ids, moved),
      ...(place !== undefined && { at: { x: place.x + shift.x, y: place.y + shift.y } }),
    }
  })
  const joined = wires.map(({ from, to }): Edit => ({ edit: 'connect', from: moved(from), to: moved(to) }))
  return { ok: true, edits: [...added, ...joined], ids }
}

function freeIds(flow: Flow, copied: Flow): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  let steps = flow.steps
  for (const [id, step] of Object.entries(copied.steps)) {
    // A copy of a copy continues the numbering: `summary-2`, `summary-3`.
    const free = freeStepId({ ...flow, steps }, Object.hasOwn(steps, id) ? id.replace(/-\d+$/, '') : id)
    ids.set(id, free)
    steps = { ...steps, [free]: step }
  }
  return ids
}

/** The step in its new place: it waits only for steps that were copied with it. */
function withinCopy(step: Step, ids: ReadonlyMap<string, string>, moved: (ref: PortRef) => PortRef): Step {
  const { after, ...rest } = step
  const kept = (after ?? []).filter(source => ids.has(source.step)).map(moved)
  return kept.length === 0 ? rest : { ...rest, after: kept }
}

function shiftOf({ layout = {} }: Flow, at: CanvasPoint | undefined): CanvasPoint {
  const places = Object.values(layout)
  if (at === undefined || places.length === 0) return ASIDE
  return {
    x: at.x - Math.min(...places.map(({ x }) => x)),
    y: at.y - Math.min(...places.map(({ y }) => y)),
  }
}
