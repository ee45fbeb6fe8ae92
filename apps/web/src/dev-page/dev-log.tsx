import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { formatClock } from '../format/time.ts'
import { Switch } from '../parts/switch.tsx'
import type { DevRun } from './dev-run.ts'
import type { DevLine } from './wire.ts'

/**
 * Lines that a handler writes name no job. They belong to the job that ran at the time, and arrive up to this much later.
 */
const LATE_MS = 250

/** The lines of the terminal: those of the newest job, or all lines. */
export function DevLog(props: {
  readonly lines: readonly DevLine[]
  readonly leftOut: number
  readonly run: DevRun | undefined
  /** Which lines are shown at first. */
  readonly first: 'job' | 'all'
}): ReactNode {
  const { lines, leftOut, run, first } = props
  const [of, setOf] = useState(first)
  const shown = of === 'all' ? lines : run === undefined ? [] : lines.filter(line => isOf(line, run))
  return (
    <section className="dev-log">
      <div className="heading">
        <h2>Log</h2>
        <span className="end">
          {leftOut > 0 && of === 'all' && (
            <span>{leftOut} lines were left out because they came too fast</span>
          )}
          <Switch
            label="Lines shown"
            value={of}
            choices={[
              ['job', 'This job'],
              ['all', 'Everything'],
            ]}
            onChange={setOf}
          />
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="faint small">
          {of === 'job' && run === undefined
            ? 'Output from the agent and your handlers will appear here while a job runs.'
            : 'Nothing yet.'}
        </p>
      ) : (
        <Lines lines={shown} of={of} />
      )}
    </section>
  )
}

/** Scrolls to new lines as long as the end of the list is in view. */
function Lines({ lines, of }: { readonly lines: readonly DevLine[]; readonly of: 'job' | 'all' }): ReactNode {
  const box = useRef<HTMLOListElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines.length, of])
  return (
    <ol
      ref={box}
      className="code"
      tabIndex={0}
      aria-label="Log lines"
      onScroll={({ currentTarget }) => {
        const { scrollTop, clientHeight, scrollHeight } = currentTarget
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 24
      }}
    >
      {lines.map(({ id, text, from, at_ms: at }) => (
        <li key={id} className={toneOf(text, from)}>
          <span className="at">{formatClock(at / 1_000, 'local')}</span>
          <bdi>{of === 'job' ? withoutJob(text) : text}</bdi>
        </li>
      ))}
    </ol>
  )
}

function isOf(line: DevLine, { request, sinceMs, untilMs = Infinity }: DevRun): boolean {
  if (line.job_id !== null) return line.job_id === request.job_id
  return line.from !== 'dev' && line.at_ms >= sinceMs && line.at_ms <= untilMs + LATE_MS
}

/** A line of a job without its job id, which all lines of the job have in common. */
function withoutJob(text: string): string {
  return text.replace(/ job=[0-9a-f-]{36}/i, '')
}

function toneOf(text: string, from: DevLine['from']): string | undefined {
  if (text.startsWith('handler error: ') || text.startsWith('✗')) return 'bad'
  if (text.startsWith('warning: ')) return 'care'
  return from === 'dev' ? 'faint' : undefined
}
