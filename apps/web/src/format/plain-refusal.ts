/**
 * The reason for a refused value, worded for people who type: the agent's message, with grouped digits and with formats
 * described in words.
 */
export function plainRefusal(reason: string): string {
  return (
    reason
      .replace(
        /^must be a valid ([a-z\d-]+) such as "[^"]*"/,
        (words, format: string) => FORMATS.get(format) ?? words,
      )
      // The refused value follows a quotation mark and is left unchanged.
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
