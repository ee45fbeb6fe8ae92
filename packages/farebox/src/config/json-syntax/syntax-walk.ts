import { formatPath } from '@farebox/protocol/problems/problem'
import { readTokens, type JsonToken } from './json-tokens.ts'
import { commentFault, oddFault, type SyntaxFault } from './syntax-faults.ts'

/** One thing that keeps a text from being JSON, and the part of the text that is at fault. */
export interface SyntaxProblem extends SyntaxFault {
  readonly start: number
  readonly end: number
  /** Where in the value it would be, as people write it. */
  readonly path: string
}

/** An object or an array that is open. */
export interface SyntaxFrame {
  readonly open: JsonToken
  /** Key or index of what is being read in it; undefined between two keys. */
  step: string | number | undefined
}

/** A reading of a text that should be JSON, token by token, and what was found on the way. */
export interface SyntaxWalk {
  readonly text: string
  readonly frames: SyntaxFrame[]
  readonly problems: SyntaxProblem[]
  /** The token taken last; undefined at the beginning. */
  previous: JsonToken | undefined
  /** The first object or array whose closing bracket is indented as if it closed another one. */
  suspect: { readonly open: JsonToken; readonly path: string } | undefined
  /** The next token, left where it is. Comments and strange white space are noted and passed over. */
  peek(): JsonToken
  take(): JsonToken
  /** Notes a fault of a part of the text. Its path ends with the current key or index, unless it is `around` that. */
  note(part: { readonly start: number; readonly end: number }, fault: SyntaxFault, around?: 'around'): void
}

/** Reads on from one token; the answer is what may come next, or undefined where the reading ends. */
export type Step = (walk: SyntaxWalk) => Step | undefined

/** Starts reading at the beginning. */
export function startSyntaxWalk(text: string): SyntaxWalk {
  const tokens = readTokens(text)
  let ahead: JsonToken | undefined
  const end: JsonToken = { kind: 'end', start: text.length, end: text.length }
  const walk: SyntaxWalk = {
    text,
    frames: [],
    problems: [],
    previous: undefined,
    suspect: undefined,
    peek() {
      while (ahead === undefined) {
        const token = tokens.next().value ?? end
        if (token.kind === 'comment') walk.note(token, commentFault(text.slice(token.start, token.end)))
        else if (token.kind === 'odd') walk.note(token, oddFault(text.slice(token.start, token.end)))
        else ahead = token
      }
      return ahead
    },
    take() {
      const token = walk.peek()
      ahead = undefined
      walk.previous = token
      return token
    },
    note({ start, end }, fault, around) {
      const path = currentPath(around === undefined ? walk.frames : walk.frames.slice(0, -1))
      walk.problems.push({ start, end, path, ...fault })
    },
  }
  return walk
}

/** Opens an object or array. */
export function open(walk: SyntaxWalk, token: JsonToken): void {
  walk.frames.push({ open: token, step: token.kind === '[' ? 0 : undefined })
}

/** Where the innermost of the frames is reading, as people write it. */
export function currentPath(frames: readonly SyntaxFrame[]): string {
  return formatPath(frames.flatMap(({ step }) => (step === undefined ? [] : [step])))
}

/** Closes the innermost object or array with its bracket. */
export function close(walk: SyntaxWalk, bracket: JsonToken): void {
  const frame = walk.frames.pop()
  if (frame === undefined || walk.suspect !== undefined) return
  const [opened, closed] = [lineBefore(walk.text, frame.open.start), lineBefore(walk.text, bracket.start)]
  // A bracket that begins its line stands, in a formatted file, below the line that opened what it closes.
  const isFirst = /^[ \t]*$/.test(closed) && walk.text.slice(frame.open.start, bracket.start).includes('\n')
  if (isFirst && closed.length < indentOf(opened).length)
    walk.suspect = { open: frame.open, path: currentPath(walk.frames) }
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** The token as it stands in the text. */
export function written({ text }: Pick<SyntaxWalk, 'text'>, { start, end }: JsonToken): string {
  return text.slice(start, end)
}
