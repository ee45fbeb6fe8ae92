import type { Flow } from '@farebox/flows/document/flow'
import { withoutSecrets } from '@farebox/flows/document/without-secrets'
import { copySteps, pasteSteps } from '@farebox/flows/edit/copy-steps'
import { useCallback, useMemo, useRef, useState, type ClipboardEvent } from 'react'
import type { ImportedFlow } from '../document/import-flow.ts'
import { keepPlaces, removeChosen, withPlaces } from '../editor/edit-actions.ts'
import type { FlowEditor } from '../editor/flow-editor.ts'
import { useEditor } from '../editor/use-editor.ts'
import { isTextField } from './use-canvas-keys.ts'

/** Offset in pixels between steps and their copies; each further paste adds it once more. */
const APART = 40

/**
 * Copies and pastes steps, also into a flow in another window, and adds steps from files. `problem` says why the last
 * attempt added nothing.
 */
export function useClipboard() {
  const editor = useEditor()
  const { problem, setProblem, add } = useAddedSteps(editor)
  const pasted = useRef<Pasted>({ text: '', times: 0 })
  const events = useMemo(() => {
    const copy = (event: ClipboardEvent): boolean => {
      if (isTextField(event.target)) return false
      const copied = chosenOf(editor)
      if (copied === undefined) return false
      // Every program can read the clipboard, so the secrets stay in this page and can be pasted in this page only.
      const text = JSON.stringify(withoutSecrets(copied))
      event.clipboardData.setData('text/plain', text)
      event.preventDefault()
      pasted.current = { text, times: 0, whole: copied }
      return true
    }
    return {
      onCopy: (event: ClipboardEvent): void => void copy(event),
      onCut(event: ClipboardEvent): void {
        if (copy(event)) removeChosen(editor)
      },
      onPaste({ target, clipboardData }: ClipboardEvent): void {
        if (isTextField(target)) return
        const [file] = clipboardData.files
        const text = clipboardData.getData('text/plain')
        if (file !== undefined && text === '') return add('pasted', readFile(file))
        const before = pasted.current.text === text ? pasted.current : { text, times: 0 }
        const { whole, times } = (pasted.current = { ...before, times: before.times + 1 })
        add('pasted', whole === undefined ? readText(text) : asRead(whole), APART * times)
      },
      onPointerDownCapture: (): void => setProblem(undefined),
    }
  }, [editor, add, setProblem])
  const duplicate = (): void => {
    const copied = chosenOf(editor)
    if (copied !== undefined) setProblem(putSteps(editor, copied, APART))
  }
  const addFile = useCallback((file: File) => add('added', readFile(file)), [add])
  return { events, duplicate, addFile, problem }
}

/** The text that was pasted last, and how many times. */
interface Pasted {
  readonly text: string
  readonly times: number
  /** The flow with its secrets, if this page copied it. */
  readonly whole?: Flow
}

/** Adds the steps of a flow once its text has been read. */
function useAddedSteps(editor: FlowEditor) {
  const [problem, setProblem] = useState<string>()
  const add = useCallback(
    (done: 'pasted' | 'added', reading: Promise<ImportedFlow>, by = APART): void => {
      const refuse = (reason: string): void => setProblem(`Nothing was ${done}. ${reason}`)
      setProblem(undefined)
      reading.then(
        read => {
          const reason = read.ok ? putSteps(editor, read.flow, by) : explainProblem(read.problems[0] ?? '')
          if (reason !== undefined) refuse(reason)
        },
        () => refuse('The content could not be read.'),
      )
    },
    [editor],
  )
  return { problem, setProblem, add }
}

/** The selected steps as a flow. */
function chosenOf(editor: FlowEditor): Flow | undefined {
  const copied = copySteps(withPlaces(editor), [...editor.store.state().selection])
  return Object.keys(copied.steps).length === 0 ? undefined : copied
}

/** Adds the steps; returns the reason if it cannot. */
function putSteps(editor: FlowEditor, copied: Flow, by: number): string | undefined {
  const { store, catalog } = editor
  if (Object.keys(copied.steps).length === 0) return 'The flow does not have any steps.'
  const places = Object.values(copied.layout ?? {})
  const at = {
    x: Math.min(...places.map(({ x }) => x)) + by,
    y: Math.min(...places.map(({ y }) => y)) + by,
  }
  const put = pasteSteps(store.state().flow, copied, places.length === 0 ? undefined : at)
  if (!put.ok) return put.reason
  store.edit([...keepPlaces(editor), ...put.edits], { select: put.ids.values() })
  catalog.complete(store.state().flow).catch(() => undefined)
  return undefined
}

/** A sentence, or the problem of a field. */
function explainProblem(problem: string): string {
  return problem.startsWith('The content ') ? problem : `The content is not a valid flow: ${problem}`
}

/** Reads a flow from text. The text can come from anyone, so it is validated like any other document. */
async function readText(text: string): Promise<ImportedFlow> {
  return (await import('../document/import-flow.ts')).readFlowText(text)
}

async function readFile(file: File): Promise<ImportedFlow> {
  return await (await import('../document/import-flow.ts')).importFlow(file)
}

async function asRead(flow: Flow): Promise<ImportedFlow> {
  return { ok: true, flow }
}
