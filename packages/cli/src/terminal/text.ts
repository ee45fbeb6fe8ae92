import type { Screen, World } from '../world.ts'

/** What a stranger wrote must not move the reader's cursor: control and direction characters become dots. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '·')
}

/**
 * JSON that may be shown on a terminal: the characters that `printable` takes out are escaped, as JSON allows, so
 * that nothing is lost and nothing moves a cursor or turns a line around.
 *
 * @param indent spaces of each level; absent: one line
 */
export function printableJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent)
  // `JSON.stringify` escapes what is below the space, in strings; what it adds itself is line breaks.
  return json.replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

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

export const COMMAND_NAMES: readonly string[] = [
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
]

const COMMAND = new RegExp(
  String.raw`(?<!npx |[\w@/.-])farebox (?=(?:${COMMAND_NAMES.join('|')}|--help)(?![\w-]))`,
  'g',
)

/**
 * A hint with its commands as they can be pasted: `npx farebox call …` where the shell does not find `farebox` by
 * itself. Hints are written with `farebox`; only here is decided what is shown.
 *
 * @example
 * err.write(`  ${asTyped(world, 'farebox wallet new makes one')}\n`)
 */
export function asTyped({ program }: Pick<World, 'program'>, hint: string): string {
  return hint.replaceAll(COMMAND, `${program} `)
}

/** Breaks a text into lines of at most so many characters, at spaces; a longer word stands alone. */
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
 * A moment ahead as people read it: `14:03:22 (in 2 min)`, with its date where it is not today.
 *
 * @param seconds Unix seconds of the moment, and of now
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
