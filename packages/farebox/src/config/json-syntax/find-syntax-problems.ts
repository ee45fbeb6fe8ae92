import type { JsonToken } from './json-tokens.ts'
import { notAnObject, otherQuotes, SYNTAX, trailingComma } from './syntax-faults.ts'
import { noteColon, noteRest, noteUnclosed, noteWrongBracket } from './syntax-brackets.ts'
import { isQuoteInText, readBareKey, readText, readWord, setKey } from './syntax-words.ts'
import {
  close,
  open,
  startSyntaxWalk,
  written,
  type Step,
  type SyntaxProblem,
  type SyntaxWalk,
} from './syntax-walk.ts'

/**
 * What keeps a text from being JSON, in words, each with the part that is at fault: every slip whose meaning is clear
 * (a comma too many, other quotes, a comment), in order, up to the first after which nobody could tell what was meant.
 *
 * @param text one that `JSON.parse` refused
 */
export function findSyntaxProblems(text: string): readonly SyntaxProblem[] {
  const walk = startSyntaxWalk(text)
  let step: Step | undefined = readRoot
  while (step !== undefined && walk.problems.length < MAX_PROBLEMS) step = step(walk)
  return fewOfEach(walk.problems.toSorted((one, other) => one.start - other.start))
}

/** Of a file in another language everything is wrong, and nobody reads it all. */
const MAX_PROBLEMS = 1_000
const MAX_OF_A_KIND = 3

/** Who has left out the quotes of one key has left out all: of what is the same, a few are told, and how many more. */
function fewOfEach(problems: readonly SyntaxProblem[]): readonly SyntaxProblem[] {
  const counts = new Map<string, number>()
  for (const { reason } of problems) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const told = new Map<string, number>()
  return problems.flatMap(problem => {
    const index = (told.get(problem.reason) ?? 0) + 1
    told.set(problem.reason, index)
    const more = (counts.get(problem.reason) ?? 0) - MAX_OF_A_KIND
    if (index > MAX_OF_A_KIND) return []
    if (index < MAX_OF_A_KIND || more <= 0) return [problem]
    return [{ ...problem, fix: `${problem.fix}, and fix ${more} more like this` }]
  })
}

function readRoot(walk: SyntaxWalk): Step | undefined {
  const token = walk.peek()
  if (token.kind === '{' || token.kind === '[') return readValue
  if (token.kind === 'end') {
    if (walk.problems.length === 0) walk.note({ start: 0, end: 0 }, SYNTAX.empty)
    return undefined
  }
  walk.take()
  const line = walk.text.slice(token.start).split(/[\r\n]/, 1)[0] ?? ''
  const isKey = walk.peek().kind === ':'
  walk.note(token, isKey ? SYNTAX.noBraces : notAnObject(line))
  return undefined
}

function readValue(walk: SyntaxWalk): Step | undefined {
  const isAfterColon = walk.previous?.kind === ':'
  const token = walk.peek()
  switch (token.kind) {
    case '{':
      open(walk, walk.take())
      return readKey
    case '[':
      open(walk, walk.take())
      return readItem
    case 'text':
      return readText(walk, readNext)
    case 'quoted':
      walk.note(token, otherQuotes(written(walk, walk.take())))
      return readNext
    case 'word':
      return readWord(walk, readNext)
    case ':':
      walk.note(walk.take(), SYNTAX.secondColon)
      return readValue
    case 'end':
      return noteUnclosed(walk)
    default:
      // A comma or a closing bracket: nothing stands where a value belongs.
      if (isAfterColon && walk.previous !== undefined) walk.note(walk.previous, SYNTAX.noValue)
      return readNext
  }
}

function readItem(walk: SyntaxWalk): Step | undefined {
  const token = walk.peek()
  if (token.kind === ']') return readClosing(walk)
  if (token.kind !== ',') return readValue
  noteComma(walk)
  return readItem
}

function readKey(walk: SyntaxWalk): Step | undefined {
  const token = walk.peek()
  switch (token.kind) {
    case 'text':
      setKey(walk, token)
      return readText(walk, readColon)
    case 'quoted':
      setKey(walk, token)
      walk.note(token, otherQuotes(written(walk, walk.take())))
      return readColon
    case 'word':
      return readBareKey(walk, { readColon, readNext })
    case '}':
      return readClosing(walk)
    case ']':
      return noteWrongBracket(walk)
    case ',':
      noteComma(walk)
      return readKey
    case ':':
      walk.note(walk.take(), SYNTAX.noKey)
      return readValue
    case 'end':
      return noteUnclosed(walk)
    default:
      walk.note(token, SYNTAX.noKey)
      return readValue
  }
}

function readColon(walk: SyntaxWalk): Step | undefined {
  const { previous } = walk
  const token = walk.peek()
  if (token.kind === ':') {
    walk.take()
    return readValue
  }
  if (token.kind === 'end') return noteUnclosed(walk)
  if (token.kind === 'word' && /^=>?$/.test(written(walk, token))) {
    walk.note(walk.take(), SYNTAX.equalSign)
    return readValue
  }
  if (previous === undefined || (token.start === previous.end && isQuoteInText(walk, token, previous)))
    return undefined
  if (token.kind === ',' || token.kind === '}' || token.kind === ']') {
    walk.note(previous, SYNTAX.onlyKey)
    return readNext
  }
  walk.note(gapAfter(previous), SYNTAX.noColon)
  return readValue
}

/** After a value: a comma, the closing bracket, or, at the outermost, the end. */
function readNext(walk: SyntaxWalk): Step | undefined {
  const frame = walk.frames.at(-1)
  if (frame === undefined) return noteRest(walk)
  const token = walk.peek()
  switch (token.kind) {
    case '}':
    case ']':
      return readClosing(walk)
    case 'end':
      return noteUnclosed(walk)
    case ':':
      return noteColon(walk, frame)
    case ',':
      walk.take()
      break
    default:
      if (!noteNoComma(walk, token)) return undefined
  }
  frame.step = typeof frame.step === 'number' ? frame.step + 1 : undefined
  return frame.open.kind === '[' ? readItem : readKey
}

/** What stands where a comma belongs; false where nobody can tell what it is. */
function noteNoComma(walk: SyntaxWalk, token: JsonToken): boolean {
  const { previous } = walk
  if (token.kind === 'word' && written(walk, token) === ';') {
    walk.note(walk.take(), SYNTAX.semicolon, 'around')
    return true
  }
  if (previous === undefined || isQuoteInText(walk, token, previous)) return false
  walk.note(gapAfter(previous), SYNTAX.noComma, 'around')
  return true
}

function readClosing(walk: SyntaxWalk): Step | undefined {
  const frame = walk.frames.at(-1)
  const token = walk.peek()
  if (frame === undefined || (frame.open.kind === '{') !== (token.kind === '}')) return noteWrongBracket(walk)
  if (walk.previous?.kind === ',') walk.note(walk.previous, trailingComma(token.kind), 'around')
  close(walk, walk.take())
  return readNext
}

function noteComma(walk: SyntaxWalk): void {
  const { previous } = walk
  walk.note(walk.take(), previous?.kind === ',' ? SYNTAX.twoCommas : SYNTAX.firstComma, 'around')
}

function gapAfter({ end }: JsonToken): { readonly start: number; readonly end: number } {
  return { start: end, end }
}
