/** A text as a cell of a Markdown table. */
export function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}
