/** A position in a text, with the line around it. */
export interface TextPlace {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units as editors count them; a tab counts as one. */
  readonly column: number
  readonly excerpt: Excerpt
}

/** A line of the file in three parts. A long line is cut around the marked part; `…` replaces the rest. */
export interface Excerpt {
  readonly before: string
  /** The text at fault, up to the end of its line; empty when something is missing there. */
  readonly marked: string
  readonly after: string
}

/**
 * Makes a function that finds the place of a part of a text, from `start` up to `end`, without scanning the whole text
 * each time.
 */
export function createTextPlaces(text: string): (start: number, end: number) => TextPlace {
  const lineStarts = [0, ...Array.from(text.matchAll(LINE_BREAK), found => found.index + found[0].length)]
  return (start, end) => {
    const line = lastAtOrBefore(lineStarts, start)
    const lineStart = lineStarts[line] ?? 0
    const lineEnd = endOfLine(text, start)
    return {
      line: line + 1,
      column: start - lineStart + 1,
      excerpt: excerpt(text, { lineStart, start, end: Math.min(Math.max(start, end), lineEnd), lineEnd }),
    }
  }
}

const LINE_BREAK = /\r\n|\n|\r/g

/** Longer lines are cut around the place. */
const MAX_LINE_CHARACTERS = 110
const MAX_BEFORE = 50
const MAX_MARKED = 50

interface Part {
  readonly lineStart: number
  readonly start: number
  readonly end: number
  readonly lineEnd: number
}

function excerpt(text: string, { lineStart, start, end, lineEnd }: Part): Excerpt {
  if (lineEnd - lineStart <= MAX_LINE_CHARACTERS) {
    return {
      before: text.slice(lineStart, start),
      marked: text.slice(start, end),
      after: text.slice(end, lineEnd),
    }
  }
  const from = Math.max(lineStart, start - MAX_BEFORE)
  const markedEnd = Math.min(end, start + MAX_MARKED)
  const to = Math.min(lineEnd, from + MAX_LINE_CHARACTERS)
  const after = wholeCharacters(text.slice(markedEnd, Math.max(markedEnd, to)))
  return {
    before: (from > lineStart ? '…' : '') + wholeCharacters(text.slice(from, start)),
    marked: wholeCharacters(text.slice(start, markedEnd)),
    after: after + (Math.max(markedEnd, to) < lineEnd ? '…' : ''),
  }
}

/** Removes the halves of surrogate pairs that a cut leaves at either end. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}

function endOfLine(text: string, offset: number): number {
  for (let index = offset; index < text.length; index += 1) {
    const character = text[index]
    if (character === '\n' || character === '\r') return index
  }
  return text.length
}

/** The index of the last of the ascending numbers that is not above the limit. */
function lastAtOrBefore(ascending: readonly number[], limit: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((ascending[middle] ?? 0) <= limit) low = middle
    else high = middle - 1
  }
  return low
}
