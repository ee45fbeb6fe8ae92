/** What a log line may carry: never a secret, a signature or a payment header. */
export type LogFields = { readonly [name: string]: string | number | boolean | bigint | undefined }

/** Where the facilitator says what happens: one line, one event. */
export interface Log {
  info(event: string, fields?: LogFields): void
  /** Something an operator should look at soon. */
  warn(event: string, fields?: LogFields): void
  /** Something an operator should look at now. */
  error(event: string, fields?: LogFields): void
}

/** Writes each event as one line of JSON: `{"time":…,"level":…,"event":…, …fields}`. */
export function createJsonLog(write: (line: string) => void, nowMs: () => number): Log {
  const level =
    (name: string) =>
    (event: string, fields: LogFields = {}): void => {
      const line = { time: new Date(nowMs()).toISOString(), level: name, event, ...fields }
      write(
        JSON.stringify(line, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
      )
    }
  return { info: level('info'), warn: level('warn'), error: level('error') }
}

/** Says nothing. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** What may be told of an error in a log: its words and those of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `; cause: ${describeError(error.cause)}`
  return `${error.message === '' ? error.name : error.message}${cause}`.slice(0, 1_000)
}
