import { useReactFlow } from '@xyflow/react'
import { useCallback, useEffect, type RefObject } from 'react'
import type { PortRef } from '@farebox/flows/document/flow'
import { useEditor } from '../editor/use-editor.ts'
import { findNode } from './wires/mark-fits.ts'

/** From this zoom on, halos and tags are drawn. */
export const NEAR = 0.6

/** Brings a node into view if it is outside, and again each time the reader is led to one. */
export function useShow(canvas: { readonly current: HTMLElement | null }): (id: string) => void {
  const editor = useEditor()
  const { getInternalNode, setCenter, getZoom } = useReactFlow()
  const show = useCallback(
    (id: string) => {
      const node = getInternalNode(id)
      const element = canvas.current === null ? undefined : findNode(canvas.current, id)
      if (node === undefined || element === undefined || canvas.current === null) return
      const [one, all] = [element.getBoundingClientRect(), canvas.current.getBoundingClientRect()]
      const isSeen =
        one.left >= all.left && one.right <= all.right && one.top >= all.top && one.bottom <= all.bottom
      if (isSeen) return
      const { width = 0, height = 0 } = node.measured
      const { x, y } = node.internals.positionAbsolute
      void setCenter(x + width / 2, y + height / 2, { zoom: Math.max(getZoom(), NEAR) })
    },
    [canvas, getInternalNode, setCenter, getZoom],
  )
  useEffect(
    () =>
      editor.onPoint(({ step, port }, how) => {
        const element = canvas.current === null ? undefined : findNode(canvas.current, step)
        const inside =
          port === undefined
            ? undefined
            : element?.querySelector<HTMLElement>(`[data-port="${CSS.escape(port)}"]`)
        ;(inside ?? element)?.focus({ preventScroll: true })
        if (how === 'show') return show(step)
        const node = getInternalNode(step)
        if (node === undefined) return
        const { width = 0, height = 0 } = node.measured
        const { x, y } = node.internals.positionAbsolute
        const zoom = Math.max(getZoom(), NEAR)
        void setCenter(x + width / 2, y + height / 2, { zoom, duration: calm(180) })
      }),
    [editor, canvas, show, getInternalNode, setCenter, getZoom],
  )
  return show
}

/** Opens the value of an input that the reader is asked to type, once the canvas has moved there. */
export function useTypedValue(
  canvas: RefObject<HTMLDivElement | null>,
  openValue: (to: PortRef, beside: Element) => void,
): void {
  const editor = useEditor()
  useEffect(
    () =>
      editor.onPoint(({ step, port, isTyped = false }) => {
        if (!isTyped || port === undefined) return
        setTimeout(() => {
          const node = canvas.current === null ? undefined : findNode(canvas.current, step)
          const beside = node?.querySelector(`[data-port="${CSS.escape(port)}"]`) ?? node
          if (beside !== undefined) openValue({ step, port }, beside)
        }, calm(200))
      }),
    [editor, canvas, openValue],
  )
}

/** The duration of a motion; 0 when the reader prefers reduced motion. */
function calm(ms: number): number {
  return matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms
}
