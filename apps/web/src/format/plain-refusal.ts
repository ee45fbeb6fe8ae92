/**
 * Why a value was refused, for a person who types: the agent's reason, with its numbers grouped and the names of formats in
 * words.
 */
export function plainRefusal(reason: string): string {
  return (
    reason
      .replace(
        /^must be a valid ([a-z\d-]+) such as "[^"]*"/,
        (words, format: string) => FORMATS.get(format) ?? words,
      )
      // The value that was typed comes after a quote, and is left alone.
      .replace(/^[^"]*/, words =>
        words.replaceAll(/(?<=at (?:most|least) |got |than )\d{4,15}(?![\d.])/g, number =>
          Number(number).toLocaleString('en'),
        ),
      )
  )
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['uri', 'must be a link, such as https://example.com'],
  ['email', 'must be an email address, such as name@example.com'],
  ['date', 'must be a date, such as 2026-01-31'],
  ['date-time', 'must be a time, such as 2026-01-31T12:00:00Z'],
])
