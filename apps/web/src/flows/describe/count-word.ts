const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** A number in a sentence: a word up to ten. */
export function countWord(count: number): string {
  return WORDS[count] ?? String(count)
}

/** Begins a sentence. */
export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
