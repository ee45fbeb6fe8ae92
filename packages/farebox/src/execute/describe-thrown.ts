/** What was thrown, as a line for the log. Never throws: handlers can throw anything, a hostile Proxy included. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown)
  } catch {
    return 'something that cannot be read'
  }
}
