import type { Screen } from '../world.ts'

/** Colours, where the screen shows any. Meaning never hangs on them alone. */
export interface Paint {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

/** Select Graphic Rendition codes of ECMA-48: on, off. */
const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

/** The colours of a screen; plain text where it is no terminal. */
export function paintFor(screen: Pick<Screen, 'live'>): Paint {
  const wrap =
    ([on, off]: readonly [number, number]) =>
    (text: string): string =>
      screen.live && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text
  return {
    bold: wrap(CODES.bold),
    dim: wrap(CODES.dim),
    red: wrap(CODES.red),
    green: wrap(CODES.green),
    yellow: wrap(CODES.yellow),
    cyan: wrap(CODES.cyan),
  }
}
