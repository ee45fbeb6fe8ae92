import { printable } from '@farebox/conformance/internal/printable'
import type { Flow, Step } from '@farebox/flows/document/flow'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import { cut, fit, paintFor } from '../../terminal/text.ts'
import type { Screen } from '../../world.ts'

type ShownStep = RunProgress['steps'][number]
type ShownJob = ShownStep['jobs'][number]

export interface StepLine {
  readonly step: string
  /** The agent and capability, `Summary · summarize`, or a description of the step. */
  readonly who: string
  readonly state: 'waiting' | 'sleeping' | 'working' | 'asking' | 'done' | 'left-out' | 'failed'
  /** The longest time that its agents took, in milliseconds. */
  readonly tookMs: number | undefined
  /** The decimal USDC of its payments; `undefined` when there are none. */
  readonly price: string | undefined
  /** An additional note: `2 of 3`. */
  readonly note: string
}

export function stepLines(flow: Pick<Flow, 'steps'>, run: RunProgress): readonly StepLine[] {
  return run.steps.map(step => lineOf(flow.steps[step.step], step))
}

export function whoDoes(step: Step | undefined): string {
  if (step === undefined) return ''
  if (step.kind === 'job') return printable(`${step.pinned.agent_name} · ${step.capability}`)
  return step.label === undefined ? step.kind.replace('-', ' ') : printable(step.label)
}

function lineOf(step: Step | undefined, shown: ShownStep): StepLine {
  const { jobs } = shown
  const took = jobs.map(({ job }) => job?.elapsed_ms ?? 0).filter(ms => ms > 0)
  const paid = jobs.flatMap(({ payment }) => (payment === null ? [] : [payment]))
  return {
    step: printable(shown.step),
    who: whoDoes(step),
    state: stateOf(shown),
    tookMs: took.length === 0 ? undefined : Math.max(...took),
    price: paid.length === 0 ? undefined : formatUsdc(sum(paid.map(({ amount }) => amount)), { decimals: 6 }),
    note: noteOf(step, shown),
  }
}

function stateOf({ state, jobs }: ShownStep): StepLine['state'] {
  switch (state) {
    case 'done':
    case 'failed':
    case 'asking':
    case 'waiting':
    case 'sleeping':
      return state
    case 'skipped':
      return 'left-out'
    case 'ordering':
      if (jobs.some(isAtWork)) return 'working'
      return jobs.some(job => job.state === 'failed') ? 'failed' : 'waiting'
  }
}

function isAtWork({ state }: ShownJob): boolean {
  return state === 'sent' || state === 'quoting'
}

function noteOf(step: Step | undefined, { state, jobs, reason, until }: ShownStep): string {
  if (state === 'skipped') return 'left out'
  if (state === 'failed') return printable(reason ?? '')
  if (state === 'asking') return step?.kind === 'approval' ? `asks: ${printable(step.question)}` : 'asks'
  if (state === 'sleeping') return `waits until ${timeOf(until ?? 0)}`
  if (state !== 'ordering') return jobs.length > 1 ? `${jobs.length} jobs` : ''
  const failed = jobs.find(job => job.state === 'failed')
  const unpaid = jobs.find(job => job.state === 'unpaid')
  const done = jobs.filter(job => job.state === 'done').length
  const count = jobs.length > 1 ? `${done} of ${jobs.length} done` : ''
  const rest = failed !== undefined ? describeFailure(failed) : unpaid === undefined ? '' : needOf(unpaid)
  return [count, rest].filter(text => text !== '').join(', ')
}

function describeFailure({ error, payment, job }: ShownJob): string {
  const until = timeOf(job?.usable_until ?? payment?.valid_before ?? 0)
  const charged =
    payment?.state === 'paid'
      ? 'charged: '
      : payment?.state === 'sent'
        ? `may be charged until ${until}: `
        : ''
  return `${charged}${printable((error ?? 'it failed').slice(0, 300))}`
}

function needOf({ because }: ShownJob): string {
  switch (because?.kind) {
    case 'changed':
      return `asks ${printable(because.price)} USDC now`
    case 'too-late':
      return 'its payment ended too soon, another one is needed'
    case 'dead':
      return 'its payment was never used, another one is needed'
    case 'charged':
      return 'was charged and gave nothing'
    case 'none':
    case undefined:
      return 'waits for a payment'
  }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleTimeString('en-GB')
}

function sum(amounts: readonly string[]): bigint {
  return amounts.reduce((total, amount) => {
    const read = readUsdc(amount)
    return read.ok ? total + read.atomic : total
  }, 0n)
}

interface StepColumns {
  readonly step: number
  readonly who: number
}

const WIDEST_STEP = 24
const WIDEST_WHO = 34

/** Returns column widths that fit all steps of a flow; the longest names are cut. */
export function columnsFor({ steps }: Pick<Flow, 'steps'>): StepColumns {
  const widest = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(0, ...texts.map(({ length }) => length)))
  return {
    step: widest(Object.keys(steps), WIDEST_STEP),
    who: widest(Object.values(steps).map(whoDoes), WIDEST_WHO),
  }
}

/**
 * Formats a step as a line: sign, name, agent, time, price and note.
 *
 * @param sign one character
 * @param tookMs by default the time in the line
 */
export function drawStep(
  screen: Screen,
  columns: StepColumns,
  line: StepLine,
  {
    sign = signOf(screen, line),
    tookMs = line.tookMs,
  }: { readonly sign?: string; readonly tookMs?: number } = {},
): string {
  const { dim, red, yellow } = paintFor(screen)
  const paint =
    line.state === 'failed' ? red : line.state === 'asking' || line.state === 'waiting' ? yellow : dim
  const cells = [
    fit(line.step, columns.step),
    dim(fit(line.who, columns.who)),
    dim((tookMs === undefined ? '' : duration(tookMs)).padStart(7)),
    (line.price ?? '').padStart(10),
  ]
  const head = `  ${sign} ${cells.join('  ')}`
  if (line.note === '') return head.trimEnd()
  const used = 4 + columns.step + columns.who + 7 + 10 + 8
  // A permanent line may wrap; a wrapped line of a moving block could not be cleared again.
  const room = screen.live ? Math.max(12, screen.columns - used - 1) : line.note.length
  return `${head}  ${paint(cut(line.note, room))}`
}

/** Returns the sign of a state, because the meaning must not depend on a colour alone. */
function signOf(screen: Screen, { state }: StepLine): string {
  const { dim, red, green, yellow } = paintFor(screen)
  switch (state) {
    case 'done':
      return green('✓')
    case 'failed':
      return red('✗')
    case 'asking':
      return yellow('?')
    case 'left-out':
      return dim('–')
    case 'working':
    case 'waiting':
    case 'sleeping':
      return dim('·')
  }
}

/** Formats a duration: `0.8 s`, `12 s`, `3 min`. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`
  const minutes = Math.round(ms / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
