import { Readable } from 'node:stream'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { Refusal } from './refusal.ts'
import type { EventSource, ServerEvent } from './route.ts'

/** How many streams are open, and how long. */
export interface EventStreamLimits {
  /** Of one caller at a time in this process; default 20. */
  readonly perCaller?: number
  /** Of all callers; default 1,000. */
  readonly inAll?: number
  /** After how long a stream ends, so that its caller connects again; default five minutes. */
  readonly longestMs?: number
  /** How often something is sent where nothing happens; default 15 seconds. */
  readonly heartbeatMs?: number
}

/** The server-sent events that are being sent. */
export interface EventStreams {
  /**
   * Opens a stream: its bytes, in the format of the HTML standard. It ends with its source, with the signal, or after the
   * longest time; the source's own signal aborts then.
   *
   * Throws a {@link Refusal}: `rate_limited` where this caller has too many, `unavailable` where all have.
   */
  open(caller: string, source: EventSource, signal: AbortSignal): Readable
  /** Ends all of them. */
  end(): void
}

const PER_CALLER = 20
const IN_ALL = 1_000
const LONGEST_MS = 300_000
const HEARTBEAT_MS = 15_000
/** A caller that takes nothing for so long is cut off. */
const NOTHING_TAKEN_MS = 30_000
/** Events that wait for their callers to take them. */
const MAX_WAITING_BYTES = 32 * 1_048_576

/** The streams that are open, with the limits in force. */
interface OpenStreams extends Required<EventStreamLimits> {
  readonly clock: Clock
  /** By what stops them; of which caller each is. */
  readonly callers: Map<AbortController, string>
  waitingBytes: number
}

/** None are open at first. */
export function createEventStreams(clock: Clock, limits: EventStreamLimits = {}): EventStreams {
  const streams: OpenStreams = {
    perCaller: PER_CALLER,
    inAll: IN_ALL,
    longestMs: LONGEST_MS,
    heartbeatMs: HEARTBEAT_MS,
    ...limits,
    clock,
    callers: new Map(),
    waitingBytes: 0,
  }
  return {
    open(caller, source, signal) {
      refuseTooMany(streams, caller)
      return openStream(streams, caller, source, signal)
    },
    end() {
      for (const stopping of streams.callers.keys()) stopping.abort()
    },
  }
}

function refuseTooMany({ callers, perCaller, inAll }: OpenStreams, caller: string): void {
  const own = [...callers.values()].filter(one => one === caller).length
  if (own >= perCaller)
    throw new Refusal('rate_limited', `too many event streams of yours are open: ${perCaller} at most`, {
      retryAfterSeconds: 15,
    })
  if (callers.size >= inAll)
    throw new Refusal('unavailable', 'too many event streams are open: ask again in a moment', {
      retryAfterSeconds: 15,
    })
}

function openStream(
  streams: OpenStreams,
  caller: string,
  source: EventSource,
  signal: AbortSignal,
): Readable {
  const { clock, callers, longestMs } = streams
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  callers.set(stopping, caller)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  void sleep(clock, longestMs, stopping.signal).then(stop)
  const stream = Readable.from(bytesOf(streams, source, stopping, () => stream.destroy()))
  stream.once('close', () => {
    stop()
    callers.delete(stopping)
    signal.removeEventListener('abort', stop)
  })
  return stream
}

/** Ends where the events that nobody has taken yet leave no room for one more. */
async function* bytesOf(
  streams: OpenStreams,
  source: EventSource,
  { signal }: AbortController,
  cut: () => void,
): AsyncGenerator<string> {
  // Headers leave with the first bytes.
  yield ': open\n\n'
  for await (const text of withHeartbeats(streams, source, signal)) {
    if (streams.waitingBytes + text.length > MAX_WAITING_BYTES) return
    streams.waitingBytes += text.length
    const cancel = streams.clock.after(NOTHING_TAKEN_MS, cut)
    try {
      yield text
    } finally {
      cancel()
      streams.waitingBytes -= text.length
    }
  }
}

/** The events as text, and a comment whenever nothing has happened for a while: else proxies end the connection. */
async function* withHeartbeats(
  { clock, heartbeatMs }: Pick<OpenStreams, 'clock' | 'heartbeatMs'>,
  source: EventSource,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const events = source(signal)[Symbol.asyncIterator]()
  let next = events.next()
  try {
    while (!signal.aborted) {
      const beat = new AbortController()
      const beaten = sleep(clock, heartbeatMs, AbortSignal.any([signal, beat.signal])).then(() => undefined)
      const came = await Promise.race([next, beaten])
      beat.abort()
      if (came === undefined) {
        if (!signal.aborted) yield ': still open\n\n'
        continue
      }
      if (came.done === true) return
      yield encode(came.value)
      next = events.next()
    }
  } finally {
    // Where it waits for something its signal ends that, and nobody waits for it here.
    next.catch(() => undefined)
    void events.return?.().catch(() => undefined)
  }
}

/** JSON has no line breaks of its own, so that data is one line. */
function encode({ event, id, data }: ServerEvent): string {
  const lines = [
    `event: ${event}`,
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${JSON.stringify(data)}`,
  ]
  return `${lines.join('\n')}\n\n`
}
