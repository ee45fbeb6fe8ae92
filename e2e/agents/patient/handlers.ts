/** Counts. */
export default function count({ text }: { readonly text: string }): { readonly words: number } {
  return { words: text.split(' ').length }
}
