import { Readable } from 'node:stream'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { Refusal } from './refusal.ts'
import type { EventSource, ServerEvent } from './route.ts'

/** Limits on event streams. */
export interface EventStreamLimits {
  /** Open streams of one caller in this process. Default 20. */
  readonly perCaller?: number
  /** Open streams of all callers in this process. Default 1,000. */
  readonly inAll?: number
  /** The longest duration of a stream; after it the caller connects again. Default five minutes. */
  readonly longestMs?: number
  /** The interval of heartbeats on an idle stream. Default 15 seconds. */
  readonly heartbeatMs?: number
}

/** The open streams of server-sent events. */
export interface EventStreams {
  /**
   * Opens a stream of bytes in the format of the HTML standard. It ends with its source, when the signal aborts, or after
   * the longest duration; the source's own signal aborts at that time.
   *
   * Throws a {@link Refusal}: `rate_limited` when this caller has too many streams, `unavailable` when all callers together
   * have.
   */
  open(caller: string, source: EventSource, signal: AbortSignal): Readable
  /** Ends all streams. */
  end(): void
}

const PER_CALLER = 20
const IN_ALL = 1_000
const LONGEST_MS = 300_000
const HEARTBEAT_MS = 15_000
/** A caller that reads nothing for this time is disconnected. */
const NOTHING_TAKEN_MS = 30_000
/** The most bytes of events, over all streams, that wait for their callers to read them. */
const MAX_WAITING_BYTES = 32 * 1_048_576

/** The open streams, and the limits in force. */
interface OpenStreams extends Required<EventStreamLimits> {
  readonly clock: Clock
  /** The caller of each stream, by the controller that stops the stream. */
  readonly callers: Map<AbortController, string>
  waitingBytes: number
}

/** Creates the registry of event streams; none are open at first. */
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

/** Ends the stream when unread events of all streams use up the limit. */
async function* bytesOf(
  streams: OpenStreams,
  source: EventSource,
  { signal }: AbortController,
  cut: () => void,
): AsyncGenerator<string> {
  // Sent because headers leave only with the first bytes.
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

/** Yields the events as text, and a comment when the stream was idle for a while; otherwise proxies close the connection. */
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
    // A source that is still waiting ends by its signal; its result is not needed here.
    next.catch(() => undefined)
    void events.return?.().catch(() => undefined)
  }
}

/** The data is one line, because JSON text has no line breaks. */
function encode({ event, id, data }: ServerEvent): string {
  const lines = [
    `event: ${event}`,
    ...(id === undefined ? [] : [`id: ${id}`]),
    `data: ${JSON.stringify(data)}`,
  ]
  return `${lines.join('\n')}\n\n`
}
