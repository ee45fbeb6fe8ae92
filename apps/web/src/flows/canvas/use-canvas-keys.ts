import { useReactFlow } from '@xyflow/react'
import type { KeyboardEvent, RefObject } from 'react'
import { areLettersOn } from '../../keys/key-names.ts'
import { keepPlaces, removeChosen } from '../editor/edit-actions.ts'
import type { FlowEditor } from '../editor/flow-editor.ts'
import { placeNodes } from '../view/places.ts'
import { useEditor } from '../editor/use-editor.ts'
import type { Carry } from './wires/use-carry.ts'

/** The actions of the canvas's keys, in addition to those of each port. */
export interface CanvasKeyActions {
  /** Opens the list of steps that can be added. */
  add(): void
  openStep(id: string, beside: Element): void
  duplicate(): void
  toOutline(): void
  toPrice(): void
}

const STEP = 20
const FAR = 100
const ARROWS: { readonly [key: string]: readonly [number, number] } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Handles the keys of the canvas. Keys typed into a field are ignored; single letters can be switched off. */
export function useCanvasKeys(
  canvas: RefObject<HTMLElement | null>,
  carry: Carry,
  actions: CanvasKeyActions,
): (event: KeyboardEvent) => void {
  const editor = useEditor()
  const { fitView, zoomIn, zoomOut } = useReactFlow()
  const letters: { readonly [key: string]: () => void } = {
    a: actions.add,
    f: () => void fitView({ padding: 0.08, maxZoom: 1 }),
    '+': () => void zoomIn(),
    '-': () => void zoomOut(),
    o: actions.toOutline,
    p: actions.toPrice,
  }
  return event => {
    const { key, target } = event
    if (event.defaultPrevented || !(target instanceof HTMLElement) || isTextField(target)) return
    const node = target.closest<HTMLElement>('.react-flow__node')
    const id = node?.dataset['id']
    const arrow = ARROWS[key]
    if (event.ctrlKey || event.metaKey) {
      if (!pressCommand(editor, key.toLowerCase(), event.shiftKey, actions)) return
    } else if (arrow !== undefined && carry.carried !== undefined)
      carry.move(arrow[0] + arrow[1] > 0 ? 1 : -1)
    else if (arrow !== undefined && id !== undefined)
      moveSteps(editor, id, arrow, event.shiftKey ? FAR : STEP)
    else if (key === 'Escape') {
      if (carry.carried !== undefined) carry.letGo()
      else editor.store.select([])
    } else if (key === 'Delete' || key === 'Backspace') remove(editor, target, id, canvas)
    else if (key === 'Enter' && node !== null && target === node && id !== undefined)
      actions.openStep(id, node)
    else if (key === ' ' && target === node && id !== undefined) toggle(editor, id)
    else if (!event.altKey && areLettersOn() && letters[key.toLowerCase()] !== undefined)
      letters[key.toLowerCase()]?.()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
}

/** Runs a command of the canvas; returns whether the keys were a command. */
function pressCommand(editor: FlowEditor, key: string, isShift: boolean, actions: CanvasKeyActions): boolean {
  const { store, live } = editor
  if (key === 'z' && !isShift) store.undo()
  else if ((key === 'z' && isShift) || key === 'y') store.redo()
  else if (key === 'd') actions.duplicate()
  else if (key === 'a') store.select(live.read().order)
  else return false
  return true
}

/** Whether keys and clipboard events belong to a text field. */
export function isTextField(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}

function moveSteps(editor: FlowEditor, id: string, [x, y]: readonly [number, number], by: number): void {
  const { store, live } = editor
  const { flow, selection } = store.state()
  const places = placeNodes(flow, live.read())
  const moved = selection.has(id) ? [...selection].filter(one => places.has(one)) : [id]
  store.edit(
    [
      ...keepPlaces(editor),
      ...moved.flatMap(one => {
        const place = places.get(one)
        return place === undefined
          ? []
          : [{ edit: 'move-step' as const, id: one, at: { x: place.x + x * by, y: place.y + y * by } }]
      }),
    ],
    { join: `move ${moved.join(' ')}` },
  )
}

/** Removes the wire or the value of the focused input; or the focused step, with everything that is selected with it. */
function remove(
  editor: FlowEditor,
  target: HTMLElement,
  id: string | undefined,
  canvas: RefObject<HTMLElement | null>,
): void {
  const { store, live } = editor
  const port = target.dataset['port']
  if (id !== undefined && port !== undefined && target.classList.contains('target')) {
    const to = { step: id, port }
    const isFed = live.read().graph.wireTo(to) !== undefined
    return store.edit([isFed ? { edit: 'disconnect', to } : { edit: 'clear-constant', to }])
  }
  if (id !== undefined && !store.state().selection.has(id)) store.select([id])
  removeChosen(editor)
  // The focused element is removed, so the canvas takes the focus to keep receiving keys.
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) canvas.current?.focus()
  })
}

function toggle({ store }: FlowEditor, id: string): void {
  const selection = new Set(store.state().selection)
  if (!selection.delete(id)) selection.add(id)
  store.select(selection)
}
