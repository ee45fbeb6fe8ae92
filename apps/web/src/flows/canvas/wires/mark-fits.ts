import type { PortRef } from '@farebox/flows/document/flow'
import type { Fit } from '../../view/fits.ts'

/**
 * Shows on the canvas which ports a wire can be joined to, and how well. Done to the elements, not by drawing them
 * again: a large flow has thousands of ports.
 */
export function markFits(canvas: Element, from: PortRef, side: 'in' | 'out', fits: readonly Fit[]): void {
  const grades = new Map(fits.map(({ port, grade }) => [keyOf(port), grade]))
  canvas.setAttribute('data-joining', side)
  const wanted = side === 'out' ? 'target' : 'source'
  for (const handle of canvas.querySelectorAll<HTMLElement>(`.react-flow__handle.${wanted}`)) {
    const port = { step: handle.dataset['nodeid'] ?? '', port: handle.dataset['handleid'] ?? '' }
    handle.setAttribute('data-fit', grades.get(keyOf(port)) ?? 'no')
  }
  findHandle(canvas, from, side)?.setAttribute('data-fit', 'from')
}

/** Takes the marks away. */
export function unmarkFits(canvas: Element): void {
  canvas.removeAttribute('data-joining')
  for (const handle of canvas.querySelectorAll('[data-fit]')) handle.removeAttribute('data-fit')
}

/** The element where wires of a port begin or end. */
export function findHandle(canvas: Element, port: PortRef, side: 'in' | 'out'): HTMLElement | undefined {
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

function keyOf({ step, port }: PortRef): string {
  return `${step} ${port}`
}
