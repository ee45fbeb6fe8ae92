import type { ReactNode } from 'react'

/** The paths of our own icons, on a grid of 16. */
const PATHS = {
  search: 'M11 11l3.5 3.5M7 12A5 5 0 107 2a5 5 0 000 10z',
  cross: 'M4 4l8 8m0-8l-8 8',
  down: 'M4 6l4 4 4-4',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  warn: 'M8 6.2v3.2m0 2.1v.1M8 2.2L14.3 13H1.7z',
  info: 'M8 7.4v3.8M8 5v.1M8 14.4A6.4 6.4 0 108 1.6a6.4 6.4 0 000 12.8z',
  clock: 'M8 4.6V8l2.3 1.5M8 14.4A6.4 6.4 0 108 1.6a6.4 6.4 0 000 12.8z',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  flow: 'M2.5 3.5h4v3h-4zM9.5 9.5h4v3h-4zM6.5 5H9a2 2 0 012 2v2.5',
  ticket: 'M2 4.5h12V7a1.2 1.2 0 000 2.4v2.1H2V9.4A1.2 1.2 0 002 7zM6 4.5v7',
  person: 'M8 8.2a2.8 2.8 0 100-5.6 2.8 2.8 0 000 5.6zM2.8 13.6c.6-2.4 2.6-3.6 5.2-3.6s4.6 1.2 5.2 3.6',
  key: 'M10.6 8.2a3.1 3.1 0 10-3-2.3L2.4 11v2.6H5l.9-.9v-1.4h1.4l1.4-3.4a3.1 3.1 0 001.9.3zM11 5.2v.1',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  undo: 'M5.5 3L2.5 6l3 3M2.5 6h7a3.6 3.6 0 010 7.2H7',
  redo: 'M10.5 3l3 3-3 3M13.5 6h-7a3.6 3.6 0 000 7.2H9',
  share: 'M8 10V2.5M5 5l3-3 3 3M3 9v4.5h10V9',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
} as const

/** The name of an icon. */
export type SignName = keyof typeof PATHS

/** An icon. It has no accessible name, because a word is always next to it. */
export function Sign({ name }: { readonly name: SignName }): ReactNode {
  return (
    <svg className="sign" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
