import type { PortRef } from '@farebox/flows/document/flow'
import { keyOfPort, type FittingPort, type PortSide } from '../../view/fits.ts'

/**
 * Marks the ports on the canvas that a wire can be joined to, with how well they fit. It sets attributes of the elements and
 * does not render, because a large flow has thousands of ports.
 */
export function markFits(canvas: Element, from: PortRef, side: PortSide, fits: readonly FittingPort[]): void {
  const grades = new Map(fits.map(({ port, grade }) => [keyOfPort(port), grade]))
  canvas.setAttribute('data-joining', side)
  const wanted = side === 'out' ? 'target' : 'source'
  for (const handle of canvas.querySelectorAll<HTMLElement>(`.react-flow__handle.${wanted}`)) {
    const port = { step: handle.dataset['nodeid'] ?? '', port: handle.dataset['handleid'] ?? '' }
    handle.setAttribute('data-fit', grades.get(keyOfPort(port)) ?? 'no')
  }
  findHandle(canvas, from, side)?.setAttribute('data-fit', 'from')
}

/** Removes the marks. */
export function unmarkFits(canvas: Element): void {
  canvas.removeAttribute('data-joining')
  for (const handle of canvas.querySelectorAll('[data-fit]')) handle.removeAttribute('data-fit')
}

/** The element at which wires of a port begin or end. */
export function findHandle(canvas: Element, port: PortRef, side: PortSide): HTMLElement | undefined {
  const kind = side === 'in' ? 'target' : 'source'
  return Array.from(canvas.querySelectorAll<HTMLElement>(`.react-flow__handle.${kind}`)).find(
    ({ dataset }) => dataset['nodeid'] === port.step && dataset['handleid'] === port.port,
  )
}

/** The element of a node. */
export function findNode(canvas: Element, id: string): HTMLElement | undefined {
  return Array.from(canvas.querySelectorAll<HTMLElement>('.react-flow__node')).find(
    ({ dataset }) => dataset['id'] === id,
  )
}
