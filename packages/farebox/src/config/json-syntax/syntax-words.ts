import type { JsonToken } from './json-tokens.ts'
import { bareKey, commaInNumber, SYNTAX, textFault, wordFault } from './syntax-faults.ts'
import { written, type Step, type SyntaxWalk } from './syntax-walk.ts'

/** A text that is a key or a value, then `next`; undefined where it is not closed, or goes on behind its end. */
export function readText(walk: SyntaxWalk, next: Step): Step | undefined {
  const token = walk.take()
  const text = written(walk, token)
  if (!/^"[^"\\]*(?:\\[^][^"\\]*)*"$/.test(text)) {
    walk.note(token, SYNTAX.unclosedText)
    return undefined
  }
  const found = textFault(text)
  if (found !== undefined)
    walk.note({ start: token.start + found.start, end: token.start + found.end }, found.fault)
  return next
}

/** Words up to the end of the line are one text that somebody forgot to quote, unless they begin as a value does. */
export function readWord(walk: SyntaxWalk, next: Step): Step | undefined {
  const first = walk.take()
  const last = wordFault(written(walk, first)) === undefined ? first : takeLine(walk, first)
  const after = walk.peek()
  if (after.kind === 'text' && after.start === last.end) {
    walk.note(first, SYNTAX.noFirstQuote)
    return undefined
  }
  // ${AGENT_WALLET_ADDRESS} without its quotes is a word and a brace.
  const placeholder = /^\$\{\w+\}/.exec(walk.text.slice(first.start, first.start + 64))?.[0]
  const part = {
    start: first.start,
    end: placeholder === undefined ? last.end : first.start + placeholder.length,
  }
  const fault = wordFault(walk.text.slice(part.start, part.end))
  if (fault !== undefined) walk.note(part, fault)
  // Behind what nobody understood a colon leads nowhere: https://…
  return fault !== undefined && (after.kind === ':' || placeholder !== undefined) ? undefined : next
}

/** The last of the words on the line of the first. */
function takeLine(walk: SyntaxWalk, first: JsonToken): JsonToken {
  let last = first
  for (let next = walk.peek(); next.kind === 'word'; next = walk.peek()) {
    if (written(walk, next) === ';' || !isSameLine(walk, last, next)) return last
    last = walk.take()
  }
  return last
}

/** A word where a key belongs: a key without quotes, the rest of a number, or something left over. */
export function readBareKey(
  walk: SyntaxWalk,
  { readColon, readNext }: { readonly readColon: Step; readonly readNext: Step },
): Step | undefined {
  const { previous } = walk
  const token = walk.take()
  const word = written(walk, token)
  const before =
    previous?.kind === ',' ? /-?\d+$/.exec(walk.text.slice(0, previous.start).slice(-24))?.[0] : undefined
  if (before !== undefined && previous?.end === token.start && /^\d+$/.test(word)) {
    walk.note(
      { start: previous.start - before.length, end: token.end },
      commaInNumber(before, word),
      'around',
    )
    return readNext
  }
  const after = walk.peek()
  if (after.kind === ':' || (after.kind === 'word' && /^=>?$/.test(written(walk, after)))) {
    setKey(walk, token)
    walk.note(token, bareKey(word))
    return readColon
  }
  if (after.kind === 'text' && after.start === token.end) {
    walk.note(token, SYNTAX.noFirstQuote)
    return undefined
  }
  walk.note(token, /^(?:\.{3}|…)$/.test(word) ? SYNTAX.leftOut : SYNTAX.onlyKey)
  return readNext
}

/** Whether the text before was ended by a quotation mark that belongs to it, as in `"the "best" one"`; notes it. */
export function isQuoteInText(walk: SyntaxWalk, token: JsonToken, previous: JsonToken): boolean {
  const isJoined = token.start === previous.end && (token.kind === 'text' || token.kind === 'word')
  const isBehind = token.kind === 'word' && isSameLine(walk, previous, token)
  if (previous.kind !== 'text' || !(isJoined || isBehind)) return false
  // A word before a colon is a key, and what is missing is the comma before it.
  if (/^\s*:/.test(walk.text.slice(token.end, token.end + 20))) return false
  walk.note({ start: previous.end - 1, end: previous.end }, SYNTAX.quoteInText)
  return true
}

/** What is no key may be as long as the file. */
const MAX_KEY_CHARACTERS = 80

/** Notes the key that is being read, for paths. */
export function setKey(walk: SyntaxWalk, token: JsonToken): void {
  const frame = walk.frames.at(-1)
  const key = written(walk, token).slice(0, MAX_KEY_CHARACTERS)
  if (frame !== undefined) frame.step = key.replace(/^["'`“„«”]|["'`”“»]$/g, '')
}

function isSameLine(walk: SyntaxWalk, one: JsonToken, other: JsonToken): boolean {
  return !/[\r\n]/.test(walk.text.slice(one.end, other.start))
}
