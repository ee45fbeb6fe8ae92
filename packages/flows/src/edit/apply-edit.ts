import type { JsonObject } from '@farebox/protocol/fields/field'
import { FLOW_INPUT, FLOW_OUTPUT, type Flow, type PortRef, type Step, type Wire } from '../document/flow.ts'
import { hasValue } from '../document/has-value.ts'
import type { Edit } from './edit.ts'

/**
 * Returns the flow after a change; the original is not modified, so it can be kept for undo. A change of a missing part has
 * no effect.
 *
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { applyEdit } from '@farebox/flows/edit/apply-edit'
 *
 * export function alwaysThree(flow: Flow): Flow {
 *   return applyEdit(flow, { edit: 'set-constant', to: { step: 'summary', port: 'sentences' }, value: 3 })
 * }
 * ```
 */
export function applyEdit(flow: Flow, edit: Edit): Flow {
  switch (edit.edit) {
    case 'add-step':
      return place({ ...flow, steps: { ...flow.steps, [edit.id]: edit.step } }, edit.id, edit.at)
    case 'remove-step':
      return removeStep(flow, edit.id)
    case 'replace-step':
      return changeStep(flow, edit.id, () => edit.step)
    case 'move-step':
      return place(flow, edit.id, edit.at)
    case 'connect':
      return connect(flow, edit.from, edit.to)
    case 'disconnect':
      return { ...flow, wires: withoutWireTo(flow.wires, edit.to) }
    case 'set-constant':
      return changeStep({ ...flow, wires: withoutWireTo(flow.wires, edit.to) }, edit.to.step, step => ({
        ...step,
        constants: { ...step.constants, [edit.to.port]: edit.value },
      }))
    case 'clear-constant':
      return clearConstant(flow, edit.to)
    case 'mark-secret':
      return changeStep(flow, edit.to.step, step => markSecret(step, edit.to.port, edit.secret))
    case 'insert-step': {
      const fed = flow.wires.find(({ to }) => isSame(to, edit.to))
      if (fed === undefined) return flow
      const grown = { ...flow, steps: { ...flow.steps, [edit.id]: edit.step } }
      const first = connect(grown, fed.from, { step: edit.id, port: edit.takes })
      return connect(first, { step: edit.id, port: edit.gives }, edit.to)
    }
    case 'set-input':
      return { ...flow, inputs: { ...flow.inputs, [edit.name]: edit.field } }
    case 'rename-input':
      return renameInput(flow, edit.name, edit.to)
    case 'remove-input':
      return {
        ...flow,
        inputs: without(flow.inputs, edit.name),
        wires: flow.wires.filter(({ from }) => !isSame(from, { step: FLOW_INPUT, port: edit.name })),
      }
    case 'add-output':
      return flow.outputs.includes(edit.name) ? flow : { ...flow, outputs: [...flow.outputs, edit.name] }
    case 'rename-output':
      return renameOutput(flow, edit.name, edit.to)
    case 'remove-output':
      return {
        ...flow,
        outputs: flow.outputs.filter(name => name !== edit.name),
        wires: withoutWireTo(flow.wires, { step: FLOW_OUTPUT, port: edit.name }),
      }
    case 'rename-flow':
      return { ...flow, name: edit.name }
  }
}

/** The flow after several changes, applied in order. */
export function applyEdits(flow: Flow, edits: readonly Edit[]): Flow {
  return edits.reduce(applyEdit, flow)
}

/** An unused step id: the word itself, or with the next free number. */
export function freeStepId(flow: Flow, word: string): string {
  const plain = word.replaceAll(/[^A-Za-z0-9_-]/g, '-').replace(/^[^A-Za-z]+/, '') || 'step'
  const base = plain.slice(0, 48)
  const isFree = (id: string): boolean =>
    id !== FLOW_INPUT && id !== FLOW_OUTPUT && !Object.hasOwn(flow.steps, id)
  if (isFree(base)) return base
  let number = 2
  while (!isFree(`${base}-${number}`)) number += 1
  return `${base}-${number}`
}

/** If another input has the new name, nothing changes. */
function renameInput(flow: Flow, name: string, to: string): Flow {
  if (!Object.hasOwn(flow.inputs, name) || Object.hasOwn(flow.inputs, to)) return flow
  const source = { step: FLOW_INPUT, port: name }
  return {
    ...flow,
    inputs: Object.fromEntries(
      Object.entries(flow.inputs).map(([key, field]) => [key === name ? to : key, field]),
    ),
    wires: flow.wires.map(wire =>
      isSame(wire.from, source) ? { ...wire, from: { step: FLOW_INPUT, port: to } } : wire,
    ),
  }
}

/** If another output has the new name, nothing changes. */
function renameOutput(flow: Flow, name: string, to: string): Flow {
  if (!flow.outputs.includes(name) || flow.outputs.includes(to)) return flow
  const target = { step: FLOW_OUTPUT, port: name }
  return {
    ...flow,
    outputs: flow.outputs.map(one => (one === name ? to : one)),
    wires: flow.wires.map(wire =>
      isSame(wire.to, target) ? { ...wire, to: { step: FLOW_OUTPUT, port: to } } : wire,
    ),
  }
}

function removeStep(flow: Flow, id: string): Flow {
  const steps = Object.entries(without(flow.steps, id)).map(([name, step]): [string, Step] => {
    const after = step.after?.filter(source => source.step !== id)
    return [name, after === undefined || after.length === step.after?.length ? step : { ...step, after }]
  })
  return {
    ...flow,
    steps: Object.fromEntries(steps),
    wires: flow.wires.filter(({ from, to }) => from.step !== id && to.step !== id),
    ...(flow.layout !== undefined && { layout: without(flow.layout, id) }),
  }
}

function connect(flow: Flow, from: PortRef, to: PortRef): Flow {
  const cleared = clearConstant(flow, to)
  return { ...cleared, wires: [...withoutWireTo(cleared.wires, to), { from, to }] }
}

function clearConstant(flow: Flow, to: PortRef): Flow {
  const step = Object.hasOwn(flow.steps, to.step) ? flow.steps[to.step] : undefined
  if (step?.constants === undefined || !Object.hasOwn(step.constants, to.port)) return flow
  const constants: JsonObject = without(step.constants, to.port)
  // The step's own value stays, with its mark.
  const isOwn = hasValue(step) && to.port === 'value'
  const cleared = { ...step, constants }
  return changeStep(flow, to.step, () => (isOwn ? cleared : markSecret(cleared, to.port, false)))
}

function markSecret(step: Step, port: string, isSecret: boolean): Step {
  const { secret = [], ...rest } = step
  const others = secret.filter(name => name !== port)
  const names = isSecret ? [...others, port] : others
  return names.length === 0 ? rest : { ...rest, secret: names }
}

function changeStep(flow: Flow, id: string, change: (step: Step) => Step): Flow {
  const step = Object.hasOwn(flow.steps, id) ? flow.steps[id] : undefined
  return step === undefined ? flow : { ...flow, steps: { ...flow.steps, [id]: change(step) } }
}

function place(flow: Flow, id: string, at: { readonly x: number; readonly y: number } | undefined): Flow {
  return at === undefined ? flow : { ...flow, layout: { ...flow.layout, [id]: at } }
}

function withoutWireTo(wires: readonly Wire[], target: PortRef): readonly Wire[] {
  return wires.filter(({ to }) => !isSame(to, target))
}

function isSame(one: PortRef, other: PortRef): boolean {
  return one.step === other.step && one.port === other.port
}

function without<T>(record: { readonly [name: string]: T }, name: string): { [name: string]: T } {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name))
}
