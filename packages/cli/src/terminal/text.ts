import type { Screen, World } from '../world.ts'

/** Colours, if the screen shows any. The meaning never depends on a colour alone. */
export interface ScreenPaint {
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

/** The colours of a screen; plain text when it is not a terminal. */
export function paintFor(screen: Pick<Screen, 'live'>): ScreenPaint {
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

/** Every command in the order of an agent's life cycle, which is the order of the help. */
export const COMMAND_NAMES = [
  'init',
  'dev',
  'types',
  'start',
  'validate',
  'check',
  'register',
  'deregister',
  'login',
  'whoami',
  'logout',
  'dashboard',
  'secret',
  'webhook',
  'call',
  'flow',
  'limits',
  'verify-receipt',
  'wallet',
] as const

export type CommandName = (typeof COMMAND_NAMES)[number]

const COMMAND = new RegExp(
  String.raw`(?<!npx |[\w@/.-])farebox (?=(?:${COMMAND_NAMES.join('|')}|--help)(?![\w-]))`,
  'g',
)

/**
 * Formats a hint with commands that can be pasted: `npx farebox call …` when the shell does not find `farebox`. All hints
 * are written with `farebox`; only this function decides what is shown.
 *
 * @example
 * err.write(`  ${asTyped(world, 'farebox wallet new makes one')}\n`)
 */
export function asTyped({ program }: Pick<World, 'program'>, hint: string): string {
  return hint.replaceAll(COMMAND, `${program} `)
}

/** Returns the text; the end of a text that is too long is replaced by `…`. */
export function cut(text: string, columns: number): string {
  const characters = [...text]
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`
}

/** Pads or cuts the text to a column of this width. */
export function fit(text: string, width: number): string {
  return cut(text, width).padEnd(width)
}

/** Formats a count: `1 job`, `2 jobs`. */
export function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Wraps a text at spaces into lines of at most this many characters; a longer word gets its own line. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').filter(word => word !== '')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

/**
 * Formats a time in the future for people: `14:03:22 (in 2 min)`, with its date when it is not today.
 *
 * @param seconds the Unix seconds of that time, followed by those of now
 */
export function untilTime(seconds: number, nowSeconds: number): string {
  const [moment, now] = [new Date(seconds * 1_000), new Date(nowSeconds * 1_000)]
  const time = moment.toLocaleTimeString('en-GB')
  const day = moment.toDateString() === now.toDateString() ? '' : `${moment.toLocaleDateString('en-CA')} `
  return `${day}${time} (in ${span(seconds - nowSeconds)})`
}

function span(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
