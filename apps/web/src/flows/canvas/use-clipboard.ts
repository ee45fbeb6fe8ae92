import type { Flow } from '@farebox/flows/document/flow'
import { withoutSecrets } from '@farebox/flows/document/without-secrets'
import { copySteps, pasteSteps } from '@farebox/flows/edit/copy-steps'
import { useMemo, useRef, useState, type ClipboardEvent, type DragEvent } from 'react'
import type { ImportedFlow } from '../document/import-flow.ts'
import { keepPlaces, removeChosen, withPlaces } from '../editor/edit-actions.ts'
import type { FlowEditor } from '../editor/flow-editor.ts'
import { useEditor } from '../editor/use-editor.ts'

/** So far from where they were copied steps are put, once more with each paste. */
const APART = 40

/**
 * Copies and pastes steps, also into a flow in another window. `problem`: why the last paste or drop added nothing.
 */
export function useClipboard() {
  const editor = useEditor()
  const pasted = useRef<{ readonly text: string; readonly times: number; readonly whole?: Flow }>({
    text: '',
    times: 0,
  })
  const [problem, setProblem] = useState<string>()
  const acts = useMemo(() => {
    const copy = (event: ClipboardEvent): boolean => {
      if (isText(event.target)) return false
      const copied = chosenOf(editor)
      if (copied === undefined) return false
      // Every program can read the clipboard: secrets are kept by this page, and pasted in it alone.
      const text = JSON.stringify(withoutSecrets(copied))
      event.clipboardData.setData('text/plain', text)
      event.preventDefault()
      pasted.current = { text, times: 0, whole: copied }
      return true
    }
    const take = (done: 'pasted' | 'added', reading: Promise<ImportedFlow>, by: number): void => {
      const refuse = (reason: string): void => setProblem(`Nothing was ${done}. ${reason}`)
      setProblem(undefined)
      reading.then(
        read => {
          const reason = read.ok ? put(editor, read.flow, by) : explainProblem(read.problems[0] ?? '')
          if (reason !== undefined) refuse(reason)
        },
        () => refuse('The content could not be read.'),
      )
    }
    return {
      copy: (event: ClipboardEvent): void => void copy(event),
      cut(event: ClipboardEvent): void {
        if (copy(event)) removeChosen(editor)
      },
      paste(event: ClipboardEvent): void {
        if (isText(event.target)) return
        const { clipboardData } = event
        const [file] = clipboardData.files
        const text = clipboardData.getData('text/plain')
        if (file !== undefined && text === '') return take('pasted', importFile(file), APART)
        const { times, whole } =
          pasted.current.text === text ? pasted.current : { times: 0, whole: undefined }
        pasted.current = { text, times: times + 1, ...(whole !== undefined && { whole }) }
        const reading =
          whole === undefined ? importText(text) : Promise.resolve({ ok: true as const, flow: whole })
        take('pasted', reading, APART * (times + 1))
      },
      /** A file that is dropped: the browser would leave the page to show it. */
      drop(event: DragEvent): void {
        const [file] = event.dataTransfer.files
        if (event.defaultPrevented || file === undefined) return
        event.preventDefault()
        take('added', importFile(file), APART)
      },
      forget: (): void => setProblem(undefined),
      duplicate(): void {
        const copied = chosenOf(editor)
        if (copied !== undefined) setProblem(put(editor, copied, APART))
      },
    }
  }, [editor])
  return { ...acts, problem }
}

/** What is chosen, as a flow of its own. */
function chosenOf(editor: FlowEditor): Flow | undefined {
  const copied = copySteps(withPlaces(editor), [...editor.store.state().selection])
  return Object.keys(copied.steps).length === 0 ? undefined : copied
}

/** Adds the steps; returns the reason where it cannot. */
function put(editor: FlowEditor, copied: Flow, by: number): string | undefined {
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

/** A sentence, or what is wrong with a field. */
function explainProblem(problem: string): string {
  return problem.startsWith('The content ') ? problem : `The content is not a valid flow: ${problem}`
}

/** The text may come from anyone: it is read like any other document. */
async function importText(text: string): Promise<ImportedFlow> {
  return await (await import('../document/import-flow.ts')).readFlowText(text)
}

async function importFile(file: File): Promise<ImportedFlow> {
  return await (await import('../document/import-flow.ts')).importFlow(file)
}

function isText(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}
