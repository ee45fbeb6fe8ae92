import { useEffect, useState } from 'react'
import type { DevEvents, DevLine, DevView, DevStep } from './wire.ts'

/** The state of `farebox dev`, collected from its events. */
export interface DevState {
  /** Whether the event stream is open; false at first, and after `farebox dev` was stopped. */
  readonly isHeard: boolean
  /** Undefined until the first event has arrived. */
  readonly view: DevView | undefined
  readonly lines: readonly DevLine[]
  /** The number of lines that were dropped because they came too fast. */
  readonly leftOut: number
  /** The steps of the jobs of this page, by lower-case job_id. */
  readonly steps: ReadonlyMap<string, readonly DevStep[]>
}

const NOTHING: DevState = { isHeard: false, view: undefined, lines: [], leftOut: 0, steps: new Map() }

const MOST_LINES = 500
const MOST_JOBS = 50
const AGAIN_MS = 1_000

/** Follows `farebox dev` while the page is open. After `farebox dev` has stopped, the page connects to the next start. */
export function useDev(): DevState {
  const [followed, setFollowed] = useState(NOTHING)
  useEffect(() => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = (): void => {
      source = new EventSource('/events')
      const on = <Name extends keyof DevEvents>(
        name: Name,
        take: (before: DevState, value: DevEvents[Name]) => DevState,
      ): void =>
        source.addEventListener(name, ({ data }: MessageEvent<string>) => {
          const value = JSON.parse(data) as DevEvents[Name]
          setFollowed(before => take(before, value))
        })
      on('view', takeView)
      on('lines', takeLines)
      on('step', takeStep)
      source.addEventListener('error', () => {
        setFollowed(before => ({ ...before, isHeard: false }))
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS)
      })
    }
    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [])
  return followed
}

/** Keeps the previous agent while a new run of `farebox dev` has not served anything, so that typed input stays. */
function takeView(before: DevState, view: DevEvents['view']): DevState {
  return { ...before, isHeard: true, view: { ...view, agent: view.agent ?? before.view?.agent ?? null } }
}

function takeLines(before: DevState, { is_start, left_out, lines }: DevEvents['lines']): DevState {
  return {
    ...before,
    lines: (is_start ? lines : [...before.lines, ...lines]).slice(-MOST_LINES),
    leftOut: is_start ? left_out : before.leftOut + left_out,
  }
}

function takeStep(before: DevState, { job_id, step }: DevEvents['step']): DevState {
  const steps = new Map(before.steps).set(job_id, [...(before.steps.get(job_id) ?? []), step])
  const [oldest] = steps.keys()
  if (steps.size > MOST_JOBS && oldest !== undefined) steps.delete(oldest)
  return { ...before, steps }
}
