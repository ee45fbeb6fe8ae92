/**
 * The known word that a mistyped word was probably meant to be, for "did you mean …?".
 *
 * @param word what was written
 * @param known the valid words; earlier ones win ties
 * @returns the closest known word, or undefined when none is close enough
 * @example nearest('minlength', ['minLength', 'maxLength']) // 'minLength'
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1
  for (const candidate of known) {
    if (candidate.length > MAX_WORD_LENGTH || candidate === word) continue
    // The length difference is a lower bound for the distance.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** No known word is longer, and the cost of the comparison is the product of both lengths. */
const MAX_WORD_LENGTH = 64

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      let distance = Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replaced)
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && swapped) distance = Math.min(distance, at(beforePrevious, column - 2) + 1)
      current.push(distance)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, to.length)
}

function at(distances: readonly number[], index: number): number {
  return distances[index] ?? Number.POSITIVE_INFINITY
}
