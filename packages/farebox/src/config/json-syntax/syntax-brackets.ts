import type { JsonToken } from './json-tokens.ts'
import { extraBracket, SYNTAX, unclosed, wrongBracket } from './syntax-faults.ts'
import { currentPath, type SyntaxFrame, type SyntaxWalk } from './syntax-walk.ts'

/** Whatever stands behind the end of the outermost. */
export function noteRest(walk: SyntaxWalk): undefined {
  const token = walk.peek()
  const isBracket = token.kind === '}' || token.kind === ']'
  if (token.kind !== 'end') walk.note(token, isBracket ? extraBracket(token.kind) : SYNTAX.moreFollows)
  return undefined
}

/** After a value; in an array it shows that the array was to end before the value, which is a key. */
export function noteColon(walk: SyntaxWalk, frame: SyntaxFrame): undefined {
  if (frame.open.kind !== '[') walk.note(walk.take(), SYNTAX.secondColon)
  else noteOpen(walk, { open: frame.open, path: currentPath(walk.frames.slice(0, -1)) })
  return undefined
}

/** A closing bracket that is not the one the innermost waits for. */
export function noteWrongBracket(walk: SyntaxWalk): undefined {
  const frame = walk.frames.at(-1)
  const token = walk.take()
  if (frame === undefined) walk.note(token, extraBracket(token.kind))
  else {
    const line = lineOf(walk.text, frame.open.start)
    walk.note(token, wrongBracket(token.kind, { bracket: frame.open.kind, line }), 'around')
  }
  return undefined
}

/** Of several open ones, the one whose neighbours' indentation betrays it. */
export function noteUnclosed(walk: SyntaxWalk): undefined {
  const frame = walk.frames.at(-1)
  if (walk.suspect !== undefined) noteOpen(walk, walk.suspect)
  else if (frame !== undefined) walk.note(frame.open, unclosed(frame.open.kind, undefined), 'around')
  return undefined
}

/** Where something should have been closed early, a comma seemed to be missing: that is told instead. */
function noteOpen(
  { text, problems }: SyntaxWalk,
  { open, path }: { readonly open: JsonToken; readonly path: string },
): void {
  const gap = problems.findIndex(
    problem =>
      problem.path === path && problem.start > open.start && problem.reason === SYNTAX.noComma.reason,
  )
  const [end] = gap < 0 ? [] : problems.splice(gap, 1)
  const line = end && lineOf(text, end.start)
  problems.push({ start: open.start, end: open.end, path, ...unclosed(open.kind, line) })
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\n|\r/).length
}
