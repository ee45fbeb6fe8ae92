import { parseTraceparent, type Trace } from '@farebox/protocol/internal/trace/traceparent'

/** A trace as a row keeps it. Whose span began it is not kept: each request of the platform has a span of its own. */
export type StoredTrace = Pick<Trace, 'id' | 'isSampled'>

/** Reads the column `traceparent`; `undefined` for rows from before traces were kept. */
export function toStoredTrace(column: string | null): StoredTrace | undefined {
  const trace = parseTraceparent(column ?? undefined)
  return trace && { id: trace.id, isSampled: trace.isSampled }
}
