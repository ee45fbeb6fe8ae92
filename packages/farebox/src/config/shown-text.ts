/**
 * The text in a form that is safe for a terminal: a tab becomes two spaces; control and direction characters, which
 * would move the cursor or reverse the line, become dots.
 */
export function shownText(text: string): string {
  return text.replaceAll('\t', '  ').replaceAll(UNSAFE, '·')
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/**
 * The number of terminal columns that the text takes: two for wide letters and emoji, none for joined and combining
 * characters.
 */
export function textWidth(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text))
    width += WIDE.test(segment) ? 2 : INVISIBLE.test(segment) ? 0 : 1
  return width
}

/** Emoji, and the scripts that Unicode's East Asian Width classifies as wide or full-width. */
const WIDE =
  /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u

const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
