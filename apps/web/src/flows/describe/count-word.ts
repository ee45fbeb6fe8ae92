const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** A number for a sentence: a word up to ten, digits above. */
export function countWord(count: number): string {
  return WORDS[count] ?? String(count)
}

/** Capitalizes the first letter of a text. */
export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
