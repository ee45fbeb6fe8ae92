import type { Clock } from 'farebox'
import type { DevLine, DevStep, DevView } from '@farebox/web/internal/dev-page/wire'
import { type Announcer, describeChange, describeRest } from '../screen/announce.ts'
import type { SendEvent } from './event-stream.ts'
import { pageLine, plainText } from './plain-text.ts'
import type { PageAgent } from './served-agent.ts'

export interface DevFeed {
  /** The page as a second screen: it receives the same messages as the terminal. */
  readonly announcer: Announcer
  loading(): void
  /** Sets the version that is served from now on; `undefined` for one that cannot be shown, or not yet. */
  serving(agent: PageAgent | undefined): void
  describe(agent: PageAgent | undefined): void
  step(jobId: string, step: DevStep): void
  subscribe(send: SendEvent): () => void
}

const KEPT_LINES = 500
/** Lines are sent in groups, so that a handler that writes in a loop does not block the page. */
const GATHER_LINES_MS = 40
const MAX_SHOWN_TYPE_ERRORS = 3

/** A job id in the runtime's log, as text and as JSON (D27). */
const NAMED_JOB = /(?:\bjob=|"job":")([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/i

/** Creates the feed of one run of `farebox dev`. */
export function createDevFeed(clock: Clock): DevFeed {
  const pages = new Set<SendEvent>()
  const lines = createLineFeed(clock, pages)
  let view: DevView = {
    version: 0,
    agent: null,
    phase: 'loading',
    change: null,
    problem: null,
    type_errors: [],
  }
  const change = (changes: Partial<DevView>): void => {
    view = { ...view, ...changes }
    for (const send of pages) send('view', view)
  }
  return {
    announcer: createPageAnnouncer(lines, change),
    loading: () => change({ phase: 'loading' }),
    serving: agent =>
      change({
        version: view.version + 1,
        agent: agent?.served ?? null,
        phase: 'serving',
        problem: null,
      }),
    describe: agent => change({ agent: agent?.served ?? null }),
    step(jobId, step) {
      for (const send of pages) send('step', { job_id: jobId, step })
    },
    subscribe(send) {
      send('view', view)
      send('lines', { is_start: true, left_out: 0, lines: lines.kept() })
      pages.add(send)
      return () => pages.delete(send)
    },
  }
}

interface LineFeed {
  add(text: string, from: DevLine['from']): void
  /** The newest lines that were sent. */
  kept(): readonly DevLine[]
}

/** Collects lines and sends those of a short interval together. */
function createLineFeed(clock: Clock, pages: ReadonlySet<SendEvent>): LineFeed {
  let kept: readonly DevLine[] = []
  let waiting: DevLine[] = []
  let leftOut = 0
  let count = 0
  const sendLines = (): void => {
    kept = [...kept, ...waiting].slice(-KEPT_LINES)
    for (const send of pages) send('lines', { is_start: false, left_out: leftOut, lines: waiting })
    waiting = []
    leftOut = 0
  }
  return {
    add(text, from) {
      count += 1
      if (waiting.length === 0) clock.after(GATHER_LINES_MS, sendLines)
      const job = NAMED_JOB.exec(text)?.[1]?.toLowerCase() ?? null
      waiting.push({ id: count, text: pageLine(text), from, job_id: job, at_ms: clock.nowMs() })
      if (waiting.length <= KEPT_LINES) return
      waiting.shift()
      leftOut += 1
    },
    kept: () => kept,
  }
}

function createPageAnnouncer(lines: LineFeed, change: (changes: Partial<DevView>) => void): Announcer {
  const addLines = (text: string): void => {
    for (const line of text.split('\n')) lines.add(line, 'dev')
  }
  return {
    serving: () => undefined,
    restarted(restart) {
      const { what, done } = describeChange(restart)
      lines.add(`${what} → ${done}`, 'dev')
      change({ change: { words: pageLine(what), took_ms: restart.tookMs } })
    },
    refused(reason, stillServing) {
      const text = plainText(reason)
      addLines(`✗ ${text}`)
      const next = describeRest(stillServing)
      change({ phase: stillServing ? 'serving' : 'idle', problem: { text, next } })
    },
    trouble(reason, next) {
      const text = plainText(reason)
      addLines(`✗ ${text}\n  ${next}`)
      change({ phase: 'loading', problem: { text, next } })
    },
    types: problems =>
      change({
        type_errors: problems
          .slice(0, MAX_SHOWN_TYPE_ERRORS)
          .map(({ file, line, column, reasons }) =>
            plainText([`${file}:${line}:${column}`, ...reasons.toReversed()].join('\n')),
          ),
      }),
    line: (line, from) => lines.add(line, from),
    // These lines are for a terminal; the page shows the same as a ticket.
    trace: () => undefined,
    note: text => lines.add(text, 'dev'),
  }
}
