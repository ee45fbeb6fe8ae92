/**
 * Makes whole lines of a stream's pieces, so that what several processes write does not meet within a line.
 *
 * @returns takes a piece; `undefined` says that the stream has ended
 */
export function splitLines(tell: (line: string) => void): (piece: string | undefined) => void {
  let rest = ''
  return piece => {
    if (piece === undefined) {
      if (rest !== '') tell(rest)
      rest = ''
      return
    }
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) tell(line.replace(/\r$/, ''))
  }
}
