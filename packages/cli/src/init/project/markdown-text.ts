/** A text for a line of Markdown that shows as it is: no markup, no HTML, no second line. */
export function markdownText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNSEEN, '')
    .trim()
    .replaceAll(/[\\`*_[\]<>#&~]/g, String.raw`\$&`)
    .replace(/^(?:[-+=]|\d+(?=[.)]))/, leading => (/\d/.test(leading) ? `${leading}\\` : `\\${leading}`))
}

/** Categories of Unicode: control, format (joiners apart, which words and emoji need), halves of pairs, private use. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu
