import { formatPath } from '@farebox/protocol/problems/problem'
import { printParseErrorCode, visit, type JSONVisitor } from 'jsonc-parser'
import { replaceForeign } from './foreign-pieces.ts'
import {
  closingOf,
  escapeFault,
  notAnObject,
  SYNTAX,
  tooDeep,
  trailingComma,
  unclosed,
  wrongBracket,
  type SyntaxFault,
} from './syntax-faults.ts'

/** One reason why a text is not JSON, and the part of the text that is at fault. */
export interface SyntaxProblem extends SyntaxFault {
  readonly start: number
  readonly end: number
  /** The path that the faulty value would have, as people write it. */
  readonly path: string
}

/** Deeper than any declaration, and shallow enough for recursive code. */
const MAX_DEPTH = 200
const MAX_PROBLEMS = 1_000
const MAX_OF_A_KIND = 3

/**
 * Finds what makes a text invalid JSON, in words, with the part of the text at fault: every mistake with a clear
 * meaning (an extra comma, other quotes, a comment), in order, up to the first after which the intended meaning is
 * ambiguous. Empty for a text that `JSON.parse` accepts, unless it is nested more than 200 deep.
 */
export function findSyntaxProblems(text: string): readonly SyntaxProblem[] {
  const { json, pieces } = replaceForeign(text)
  const reading: Reading = { text, json, pieces, frames: [], problems: [], previous: NOTHING, refusedAt: -1 }
  try {
    visit(json, visitorOf(reading), { disallowComments: true })
  } catch (error) {
    if (!(error instanceof EndOfReading)) throw error
  }
  return fewOfEach(reading.problems.toSorted((one, other) => one.start - other.start))
}

/**
 * A file usually repeats the same mistake, such as missing quotes at every key: keeps the first few of equal problems,
 * with the number of the others.
 */
function fewOfEach(problems: readonly SyntaxProblem[]): readonly SyntaxProblem[] {
  const seen = new Map<string, SyntaxProblem[]>()
  for (const problem of problems) seen.set(problem.reason, [...(seen.get(problem.reason) ?? []), problem])
  return problems.flatMap(problem => {
    const alike = seen.get(problem.reason) ?? []
    const index = alike.indexOf(problem) + 1
    if (index > MAX_OF_A_KIND) return []
    const more = alike.length - MAX_OF_A_KIND
    if (index < MAX_OF_A_KIND || more <= 0) return [problem]
    return [{ ...problem, fix: `${problem.fix}, and fix ${more} more like this` }]
  })
}

/** A part of `json`. */
interface Token {
  readonly offset: number
  readonly length: number
}

const NOTHING: Token = { offset: 0, length: 0 }

/** An object or array that is not closed yet. */
interface Frame extends Token {
  readonly bracket: string
  readonly line: number
  /** The number of white space characters at the beginning of the line that opens it. */
  readonly indent: number
  /** The key or index that is being read; undefined between two keys. */
  step: string | number | undefined
}

interface Reading extends ReturnType<typeof replaceForeign> {
  readonly text: string
  readonly frames: Frame[]
  readonly problems: SyntaxProblem[]
  /** The token that was read last, without comments. */
  previous: Token
  /** Offset of the last refused token: the parser reports some tokens twice. */
  refusedAt: number
  /** The first object or array whose closing bracket is indented as if it closed another one. */
  suspect?: { readonly frame: Frame; readonly path: string }
}

/** Thrown to end the reading, when the intended meaning of the rest is ambiguous. */
class EndOfReading extends Error {}

function visitorOf(reading: Reading): JSONVisitor {
  const begin = (offset: number, length: number, line: number, column: number): void => {
    const { frames, json, problems } = reading
    if (frames.length === MAX_DEPTH) {
      problems.splice(0)
      frames.splice(0)
      stop(reading, { offset, length }, tooDeep(MAX_DEPTH))
    }
    const indent = /^[ \t]*/.exec(json.slice(offset - column, offset))?.[0].length ?? 0
    reading.previous = { offset, length }
    const bracket = json[offset] ?? ''
    frames.push({ offset, length, bracket, line, indent, step: bracket === '[' ? 0 : undefined })
  }
  const end = (offset: number, length: number, line: number, column: number): void => {
    if (offset >= reading.json.length) stopUnclosed(reading)
    close(reading, { offset, length }, line, column)
    reading.previous = { offset, length }
  }
  return {
    onObjectBegin: begin,
    onArrayBegin: begin,
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty: (_key, offset, length) => readText(reading, { offset, length }, 'keyFault'),
    onLiteralValue: (_value, offset, length) => readText(reading, { offset, length }, 'fault'),
    onSeparator(character, offset, length) {
      if (character === ',') advance(reading)
      reading.previous = { offset, length }
    },
    onError(code, offset, length) {
      const error = printParseErrorCode(code)
      const comment = reading.pieces.get(offset)
      if (error === 'InvalidCommentToken') {
        if (comment !== undefined) note(reading, { offset, length }, comment.fault)
        // Words and texts are checked by readText, once their role is known.
      } else if (error.endsWith('Expected') && offset !== reading.refusedAt) {
        reading.refusedAt = offset
        refuse(reading, { offset, length }, error)
      }
    },
  }
}

/** Limits the length of the path: an invalid key may be as long as the file. */
const MAX_KEY_CHARACTERS = 80

/** Reads a key, or a value that is not an object or array. */
function readText(reading: Reading, token: Token, role: 'fault' | 'keyFault'): void {
  const { json, frames, pieces } = reading
  const piece = pieces.get(token.offset)
  if (piece !== undefined && frames.length === 0) stopAtRoot(reading, token)
  if (piece !== undefined && reading.text[piece.end] === '"') stop(reading, token, SYNTAX.noFirstQuote)
  reading.previous = token
  const text = json.slice(token.offset, endOf(token))
  const frame = frames.at(-1)
  if (role === 'keyFault' && frame !== undefined)
    frame.step = (piece?.inner ?? text.replace(/^"|"$/g, '')).slice(0, MAX_KEY_CHARACTERS)
  if (piece !== undefined) return note(reading, token, piece[role])
  const [line = ''] = text.split(/[\r\n]/, 1)
  if (!/^(?!")|^"[^"\\]*(?:\\[^][^"\\]*)*"$/.test(line))
    stop(reading, { ...token, length: line.length }, SYNTAX.unclosedText)
  const found = escapeFault(text)
  if (found !== undefined) note(reading, { offset: token.offset + found.index, length: found.length }, found)
}

/**
 * Handles a token that JSON does not allow at its position: chooses the problem by its first character and by the token
 * before it.
 */
function refuse(reading: Reading, token: Token, error: string): void {
  const { text, json, frames, pieces, previous } = reading
  const [character = '', before = ''] = [json[token.offset], json[previous.offset]]
  const frame = frames.at(-1)
  if (character === '') stopUnclosed(reading)
  if (frame === undefined) stopAtRoot(reading, token)
  const isClosing = character === closingOf(frame.bracket)
  if (!isClosing && /[\]}]/.test(character)) {
    const line = lineAt(text, placeIn(reading, frame.offset))
    stop(reading, token, wrongBracket(character, frame.bracket, line), 'around')
  }
  if (!isClosing && character !== ',') refuseBeginning(reading, frame, token, error)
  else if (before === ':') note(reading, previous, SYNTAX.noValue)
  else if (isClosing && before === ',') note(reading, previous, trailingComma(character), 'around')
  else if (/[,{[]/.test(before)) note(reading, token, SYNTAX.extraComma, 'around')
  else if (!pieces.has(previous.offset)) note(reading, after(previous), SYNTAX.noColon)
}

/** Handles an unexpected colon, or the beginning of an unexpected key or value. */
function refuseBeginning(reading: Reading, frame: Frame, token: Token, error: string): void {
  const { json, frames, previous } = reading
  const isColon = json[token.offset] === ':'
  // The token before the colon, which was read as a value, is a key: the array should have been closed before it.
  if (isColon && frame.bracket === '[') stopOpen(reading, frame, pathOf(frames.slice(0, -1)))
  if (isColon || error === 'PropertyNameExpected') stop(reading, token, SYNTAX.noKey)
  // When a colon follows, this is a key, and the missing token is the comma before it.
  const isKey = /^\s*:/.test(json.slice(endOf(token), endOf(token) + 20))
  if (json[previous.offset] === '"' && endOf(previous) === token.offset && !isKey)
    stop(reading, { offset: token.offset - 1, length: 1 }, SYNTAX.quoteInText)
  if (error === 'ColonExpected') stop(reading, after(previous), SYNTAX.noColon)
  note(reading, after(previous), SYNTAX.noComma, 'around')
  if (frame.bracket === '[') advance(reading)
}

/** Handles a token outside of any object or array: before the outermost one, or after it. */
function stopAtRoot(reading: Reading, token: Token): never {
  const { text, json, previous } = reading
  if (previous !== NOTHING && /[\]}]/.test(json[previous.offset] ?? ''))
    stop(reading, token, SYNTAX.moreFollows)
  const first = previous === NOTHING ? token : previous
  const [line = ''] = text.slice(placeIn(reading, first.offset)).split(/[\r\n]/, 1)
  stop(reading, first, notAnObject(line))
}

/**
 * Handles the end of the file with open brackets: reports the bracket whose indentation does not match, else the
 * innermost.
 */
function stopUnclosed(reading: Reading): never {
  const { frames, problems, suspect } = reading
  const frame = frames.at(-1)
  if (suspect !== undefined) stopOpen(reading, suspect.frame, suspect.path)
  if (frame !== undefined) stop(reading, frame, unclosed(frame.bracket, undefined), 'around')
  if (problems.length === 0) stop(reading, NOTHING, SYNTAX.empty)
  throw new EndOfReading()
}

/**
 * Reports an object or array that is not closed. Its end was first reported as a missing comma; that problem is
 * replaced, so that there is one problem, not two.
 */
function stopOpen(reading: Reading, frame: Frame, path: string): never {
  const { text, problems } = reading
  const start = placeIn(reading, frame.offset)
  const gap = problems.findIndex(
    problem => problem.path === path && problem.start > start && problem.reason === SYNTAX.noComma.reason,
  )
  const [end] = gap < 0 ? [] : problems.splice(gap, 1)
  problems.push({ start, end: start + 1, path, ...unclosed(frame.bracket, end && lineAt(text, end.start)) })
  throw new EndOfReading()
}

/** Closes the innermost object or array with the closing bracket at this offset. */
function close(reading: Reading, { offset }: Token, line: number, column: number): void {
  const frame = reading.frames.pop()
  if (frame === undefined || reading.suspect !== undefined) return
  // In a formatted file, a closing bracket at the beginning of its line is indented like the line of its opening
  // bracket.
  const isFirst = line !== frame.line && /^[ \t]*$/.test(reading.json.slice(offset - column, offset))
  if (isFirst && column < frame.indent) reading.suspect = { frame, path: pathOf(reading.frames) }
}

function advance({ frames }: Reading): void {
  for (const frame of frames.slice(-1))
    frame.step = typeof frame.step === 'number' ? frame.step + 1 : undefined
}

function stop(reading: Reading, token: Token, fault: SyntaxFault, around?: 'around'): never {
  note(reading, token, fault, around)
  throw new EndOfReading()
}

/**
 * Records a fault at a part of the text. The path ends with the current key or index, or with `around` one level above
 * it.
 */
function note(reading: Reading, token: Token, { reason, fix }: SyntaxFault, around?: 'around'): void {
  const path = pathOf(around === undefined ? reading.frames : reading.frames.slice(0, -1))
  const [start, end] = [placeIn(reading, token.offset), placeIn(reading, endOf(token))]
  reading.problems.push({ start, end, path, reason, fix })
  if (reading.problems.length === MAX_PROBLEMS) throw new EndOfReading()
}

function pathOf(frames: readonly Frame[]): string {
  return formatPath(frames.flatMap(({ step }) => (step === undefined ? [] : [step])))
}

function after(token: Token): Token {
  return { offset: endOf(token), length: 0 }
}

function endOf({ offset, length }: Token): number {
  return offset + length
}

/** Converts an offset in `json` to an offset in the text. */
function placeIn({ pieces }: Reading, offset: number): number {
  const [at, piece] = [...pieces].findLast(([start]) => start <= offset) ?? []
  if (at === undefined || piece === undefined) return offset
  return offset < at + piece.length ? piece.start : piece.end + (offset - at - piece.length)
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\n|\r/).length
}
