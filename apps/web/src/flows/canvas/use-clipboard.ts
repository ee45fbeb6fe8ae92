import type { Flow } from '@farebox/flows/document/flow'
import { copySteps, pasteSteps } from '@farebox/flows/edit/copy-steps'
import { useMemo, useRef, type ClipboardEvent } from 'react'
import { keepPlaces, removeChosen, withPlaces } from '../editor/edit-actions.ts'
import type { FlowEditor } from '../editor/flow-editor.ts'
import { useEditor } from '../editor/use-editor.ts'

/** So far from where they were copied steps are put, once more with each paste. */
const APART = 40

/** Copying steps and putting them elsewhere, also into another flow in another window. */
export function useClipboard() {
  const editor = useEditor()
  const pasted = useRef({ text: '', times: 0 })
  return useMemo(() => {
    const copy = (event: ClipboardEvent): boolean => {
      if (isText(event.target)) return false
      const copied = chosenOf(editor)
      if (copied === undefined) return false
      const text = JSON.stringify(copied)
      event.clipboardData.setData('text/plain', text)
      event.preventDefault()
      pasted.current = { text, times: 0 }
      return true
    }
    return {
      copy: (event: ClipboardEvent): void => void copy(event),
      cut(event: ClipboardEvent): void {
        if (copy(event)) removeChosen(editor)
      },
      paste(event: ClipboardEvent): void {
        if (isText(event.target)) return
        const text = event.clipboardData.getData('text/plain')
        const times = pasted.current.text === text ? pasted.current.times + 1 : 1
        pasted.current = { text, times }
        readCopied(text).then(
          copied => copied !== undefined && put(editor, copied, APART * times),
          () => undefined,
        )
      },
      duplicate(): void {
        const copied = chosenOf(editor)
        if (copied !== undefined) put(editor, copied, APART)
      },
    }
  }, [editor])
}

/** What is chosen, as a flow of its own. */
function chosenOf(editor: FlowEditor): Flow | undefined {
  const copied = copySteps(withPlaces(editor), [...editor.store.state().selection])
  return Object.keys(copied.steps).length === 0 ? undefined : copied
}

function put(editor: FlowEditor, copied: Flow, by: number): void {
  const { store, catalog } = editor
  const places = Object.values(copied.layout ?? {})
  const at = {
    x: Math.min(...places.map(({ x }) => x)) + by,
    y: Math.min(...places.map(({ y }) => y)) + by,
  }
  const put = pasteSteps(store.state().flow, copied, places.length === 0 ? undefined : at)
  if (!put.ok) return
  store.edit([...keepPlaces(editor), ...put.edits], { select: put.ids.values() })
  catalog.complete(store.state().flow).catch(() => undefined)
}

/** Whoever wrote what is in the clipboard, it is read as any document is. */
async function readCopied(text: string): Promise<Flow | undefined> {
  if (!text.startsWith('{"flow_version":')) return undefined
  const { readDocument } = await import('../document/read-document.ts')
  const read = readDocument(JSON.parse(text))
  return read.ok ? read.flow : undefined
}

function isText(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
}
