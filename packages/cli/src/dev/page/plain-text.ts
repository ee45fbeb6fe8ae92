import { printable } from '@farebox/conformance/internal/printable'

/** Complete CSI and OSC sequences, and the remains of others: ECMA-48. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[0-Z\\^-~])/g

const MAX_CHARACTERS = 4_000

/**
 * Formats one line for the page: colours are removed, other characters that would move a cursor become dots, and a long
 * line is cut.
 */
export function pageLine(line: string): string {
  const text = printable(
    line
      .slice(0, 4 * MAX_CHARACTERS)
      .replaceAll(SEQUENCE, '')
      .replaceAll('\t', '  '),
  )
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}

export function plainText(text: string): string {
  return text
    .slice(0, 4 * MAX_CHARACTERS)
    .split('\n')
    .map(pageLine)
    .join('\n')
}
