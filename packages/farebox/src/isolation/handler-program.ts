import { AsyncLocalStorage } from 'node:async_hooks'
import { compileOutput, type OutputCheck } from '@farebox/protocol/fields/compile'
import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { MAX_RESPONSE_BYTES } from '@farebox/protocol/limits'
import { systemClock } from '@farebox/protocol/time/clock'
import { loadMatchingHandlers } from '../loading/load-matching-handlers.ts'
import { describeFailure } from '../handler/handler-failure.ts'
import { askAgent, type AskedAgent } from '../handler/ask-agent.ts'
import { createJobContext } from '../handler/job-context.ts'
import { checkOutput, type CheckedOutput } from '../handler/check-output.ts'
import { matchHandlers, type Handler } from '../handlers.ts'
import { noteWhatRuns, type LeftBehind } from './left-behind.ts'
import { describeLoadFailure } from './load-failure.ts'
import type { LoadCommand, HandlerJob, HandlerCommand, HandlerReport } from './handler-messages.ts'

// The program of a handler process, which runs one job at a time; spawn-handler-process.ts forks it.

/** A job of this process, while any part of it is running. */
interface Run {
  readonly run: number
  readonly jobId: string
  readonly aborter: AbortController
  lines: number
  readonly asked: AskedAgent
}

/** The loaded handlers with their output checks. */
interface Loaded {
  readonly handlers: ReadonlyMap<string, Handler<JsonObject, unknown>>
  readonly checks: ReadonlyMap<string, OutputCheck>
  readonly devMode: boolean
}

/** The most log lines of a job; more would keep the agent from its other jobs. */
const MAX_LINES = 1_000
const MAX_LINE_CHARACTERS = 2_000
const CHECK_AGAIN_MS = 20

// Bound at the start, so that reports reach the agent whatever handlers do to `process`.
const sendMessage = process.send?.bind(process)
const running = new AsyncLocalStorage<Run>()
let loaded: Promise<Loaded | undefined> = Promise.resolve(undefined)
let current: Run | undefined

// Ctrl-C and service managers signal every process of a command; the agent decides when this process ends.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
process.on('disconnect', () => process.exit(0))
process.on('uncaughtException', error => {
  const from = running.getStore()
  tell({ kind: 'stray', run: from?.run, jobId: from?.jobId, failure: describeFailure(error) })
})
process.on('message', (command: HandlerCommand) => {
  if (command.kind === 'load') loaded = load(command)
  else if (command.kind === 'run') void serve(command.run, command.job)
  else if (command.kind === 'answer' && current?.run === command.run) takeAnswer(current, command)
  else if (command.kind === 'abort' && current?.run === command.run) abort(current, command.reason)
})

async function load({ file, declaration, devMode }: LoadCommand): Promise<Loaded | undefined> {
  try {
    const handlers = matchHandlers(declaration, await loadMatchingHandlers(declaration, file))
    const outputs = Object.entries(declaration.capabilities)
    const checks = new Map(outputs.map(([name, { output_schema }]) => [name, compileOutput(output_schema)]))
    tell({ kind: 'loaded' })
    return { handlers, checks, devMode }
  } catch (error) {
    tell({ kind: 'not-loaded', failure: describeLoadFailure(error) })
    return undefined
  }
}

async function serve(run: number, job: HandlerJob): Promise<void> {
  const own = await loaded
  if (own === undefined) return
  const now: Run = {
    run,
    jobId: job.jobId,
    aborter: new AbortController(),
    lines: 0,
    asked: askAgent(question => tell({ kind: 'ask', run, ...question })),
  }
  current = now
  const left = noteWhatRuns()
  const report = await running.run(now, () => tryWork(own, job, now))
  const clean = left.isClean()
  tell({ ...report, clean })
  if (!clean) tellWhenClean(run, left)
}

type Outcome =
  | Omit<Extract<HandlerReport, { kind: 'returned' }>, 'clean'>
  | Omit<Extract<HandlerReport, { kind: 'threw' }>, 'clean'>

async function tryWork(own: Loaded, job: HandlerJob, now: Run): Promise<Outcome> {
  try {
    return { kind: 'returned', run: now.run, checked: await work(own, job, now) }
  } catch (error) {
    return { kind: 'threw', run: now.run, failure: describeFailure(error) }
  }
}

async function work(
  { handlers, checks, devMode }: Loaded,
  job: HandlerJob,
  now: Run,
): Promise<CheckedOutput> {
  const { jobId, capability, payer, deadlineMs, input } = job
  const handler = handlers.get(capability)
  const check = checks.get(capability)
  if (handler === undefined || check === undefined) throw new Error(`no handler for ${capability}`)
  const output = await handler(
    input,
    createJobContext({
      jobId,
      capability,
      payer,
      deadlineMs,
      aborter: now.aborter,
      clock: systemClock,
      log: message => writeLine(now, message),
      spending: now.asked.spending,
      hiring: now.asked.hiring,
    }),
  )
  return withinBounds(checkOutput(check, output, devMode))
}

/**
 * Refuses an output that is too large here, because handling it would block the agent's process. The agent checks the
 * size of the whole response (D39).
 */
function withinBounds(checked: CheckedOutput): CheckedOutput {
  const { json } = checked
  const bytes = json === undefined ? 0 : Buffer.byteLength(json)
  if (bytes <= MAX_RESPONSE_BYTES) return checked
  const reason = `must be at most ${MAX_RESPONSE_BYTES} bytes of JSON, got ${bytes}`
  return { ...checked, json: undefined, violation: { field: 'output', reason } }
}

function writeLine(now: Run, message: unknown): void {
  now.lines += 1
  if (now.lines > MAX_LINES) return
  const last = now.lines === MAX_LINES
  const text = last ? `more than ${MAX_LINES} lines, the rest is left out` : String(message)
  tell({ kind: 'log', run: now.run, message: text.slice(0, MAX_LINE_CHARACTERS) })
}

/** Runs in the job's own context, like {@link abort}. */
function takeAnswer(now: Run, { ask, answer }: Extract<HandlerCommand, { kind: 'answer' }>): void {
  running.run(now, () => now.asked.take(ask, answer))
}

/** Runs in the job's own context, so that errors thrown by its listeners are attributed to it. */
function abort(now: Run, reason: string): void {
  running.run(now, () => now.aborter.abort(new DeadlineError(reason)))
}

/** Reports when nothing of the run is still active; only then the next job is sent. */
function tellWhenClean(run: number, left: LeftBehind): void {
  const check = (): void => {
    if (left.isClean()) tell({ kind: 'clean', run })
    else tellWhenClean(run, left)
  }
  setTimeout(check, CHECK_AGAIN_MS).unref()
}

function tell(report: HandlerReport): void {
  if (process.connected) sendMessage?.(report, undefined, undefined, () => undefined)
}
