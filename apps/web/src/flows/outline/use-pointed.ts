import { useEffect, useRef, type RefObject } from 'react'
import { useEditor } from '../editor/use-editor.ts'

/** Leads to whatever somebody points to: it is scrolled to, and has the focus. */
export function usePointed(): RefObject<HTMLDivElement | null> {
  const editor = useEditor()
  const list = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      editor.onPoint(({ step, port }) => {
        const element = list.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(step)}"]`)
        const line =
          port === undefined
            ? undefined
            : Array.from(element?.querySelectorAll<HTMLElement>('.feed') ?? []).find(
                one => one.querySelector('.name')?.firstChild?.textContent === port,
              )
        const target = line?.querySelector<HTMLElement>('select') ?? element
        target?.focus({ preventScroll: true })
        ;(line ?? element)?.scrollIntoView({ block: 'center' })
      }),
    [editor],
  )
  return list
}
