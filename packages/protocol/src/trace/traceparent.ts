/** A trace (W3C Trace Context): one id for everything that is done for a job, in all programs. */
export interface Trace {
  /** 32 lower-case hex digits, not all zero. */
  readonly id: string
  /** The span of the program that sent the header, 16 lower-case hex digits; undefined when the trace begins here. */
  readonly parentId: string | undefined
  /** Whether the sender may have recorded its part of the trace. */
  readonly isSampled: boolean
  /** The span of this program, when it records spans: 16 lower-case hex digits. */
  readonly spanId?: string | undefined
}

/**
 * Only version 00, in its fixed form. Callers are not trusted: a later version may append any characters, and an id of
 * zeros would join the jobs of different callers.
 */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const TRACEPARENT_CHARACTERS = 55

/**
 * Reads a `traceparent` header of version 00. Without one, and for any other value, a new trace begins: several headers
 * joined by commas are such a value. `tracestate` is not read.
 */
export function readTraceparent(header: string | undefined): Trace {
  return parseTraceparent(header) ?? startTrace()
}

/** Reads a `traceparent` as {@link readTraceparent} does; undefined if it would begin a new trace. */
export function parseTraceparent(header: string | undefined): Trace | undefined {
  if (header?.length !== TRACEPARENT_CHARACTERS) return undefined
  const [, id, parentId, flags] = TRACEPARENT.exec(header) ?? []
  if (id === undefined || parentId === undefined || flags === undefined) return undefined
  return { id, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
}

/**
 * The header of the next request of a trace: its id with the span of this program, or with a new span id if none is
 * recorded. Flags that this version does not define are cleared.
 */
export function writeTraceparent({ id, isSampled, spanId = randomSpanId() }: Trace): string {
  return `00-${id}-${spanId}-${isSampled ? '01' : '00'}`
}

/**
 * A trace as a row keeps it, for requests that are sent later: they belong under the same span as those sent now. A trace
 * that was kept before is returned unchanged.
 */
export function keptTrace({ id, parentId, isSampled, spanId }: Trace): Trace {
  return { id, parentId: spanId ?? parentId ?? randomSpanId(), isSampled }
}

/** The header in which a row stores a trace; {@link parseTraceparent} reads it. */
export function storeTrace(trace: Trace): string {
  return writeTraceparent({ ...trace, spanId: keptTrace(trace).parentId })
}

/** The flag of version 00. */
const SAMPLED = 1

/** The spans of a trace that begins here are not recorded. */
function startTrace(): Trace {
  return { id: randomTraceId(), parentId: undefined, isSampled: false }
}

/** A global of Node and of browsers, whose types this package does not use. */
declare const crypto: { randomUUID(): string }

/**
 * From a UUID v4, of which each half has a fixed digit, so that neither is all zero. Node creates UUIDs from a buffer
 * of random bytes, which is thirty times as fast as requesting a few bytes.
 */
function randomTraceId(): string {
  return crypto.randomUUID().replaceAll('-', '')
}

/** The second half. */
function randomSpanId(): string {
  const uuid = crypto.randomUUID()
  return uuid.slice(19, 23) + uuid.slice(24)
}
