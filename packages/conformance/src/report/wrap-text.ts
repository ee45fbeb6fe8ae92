/**
 * A text in lines of at most so many characters, broken at spaces and after commas; what has neither for longer is
 * cut.
 *
 * @param columns at least 1
 */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of (text.match(PIECES) ?? []).flatMap(long => cut(long, columns))) {
    if (line.length + piece.trimEnd().length <= columns) {
      line += piece
    } else {
      lines.push(line.trimEnd())
      line = piece.trimStart()
    }
  }
  return [...lines, line.trimEnd()]
}

/** A word with the comma or the space after it. */
const PIECES = /[^ ,]*[ ,]|[^ ,]+$/g

function cut(piece: string, columns: number): readonly string[] {
  if (piece.length <= columns) return [piece]
  const characters = Array.from(piece)
  return Array.from({ length: Math.ceil(characters.length / columns) }, (_, index) =>
    characters.slice(index * columns, (index + 1) * columns).join(''),
  )
}
