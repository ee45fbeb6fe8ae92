import type { Clock } from '@farebox/protocol/time/clock'
import type { AgentAnswer, AgentQuestion } from '../handler/ask-agent.ts'
import type { HandlerFailure } from '../handler/handler-failure.ts'
import type { CheckedOutput } from '../handler/check-output.ts'
import { HandlersError } from '../loading/load-handlers.ts'
import { relativePlace } from '../own-frames.ts'
import type { Guard } from './orphan-guard.ts'
import type { PoolLimits } from './pool-limits.ts'
import { loadFailureError } from './load-failure.ts'
import {
  readHandlerReport,
  type LoadCommand,
  type HandlerJob,
  type HandlerReport,
} from './handler-messages.ts'
import { spawnHandlerProcess, type SpawnedProcess } from './spawn-handler-process.ts'

/** A process in which one handler runs at a time. */
export interface HandlerProcess {
  /** Undefined where the system gave no process. */
  readonly pid: number | undefined
  /** Resolves once the handlers are there; rejects with the reason where they cannot be. */
  readonly loaded: Promise<void>
  /** Resolves once the process is gone. */
  readonly ended: Promise<void>
  /** Does one job. Never rejects; the process's own end is an outcome, too. */
  run(job: HandlerJob, listener: JobListener): Promise<HandlerOutcome>
  /** Tells the handler to stop. */
  abort(reason: string): void
  /** Ends the process at once; the job that it has fails with this reason. */
  end(why: string): void
}

/** Receives what a job reports while it runs. */
export interface JobListener {
  log(message: string): void
  /** Never rejects. */
  answer(question: AgentQuestion): Promise<AgentAnswer>
}

/** What became of a job. */
export type HandlerOutcome =
  | { readonly kind: 'returned'; readonly checked: CheckedOutput }
  | { readonly kind: 'threw'; readonly failure: HandlerFailure }

/** What a handler process reports beside its jobs' outcomes. */
export interface ProcessListener {
  /** Its job is over. `clean`: nothing of it runs on, another can come; otherwise `onClean` says when. */
  onJobOver(clean: boolean): void
  onClean(): void
  /** An error that nobody caught and that is not the running job's. The process takes no further job. */
  onStray(failure: HandlerFailure, jobId: string | undefined): void
}

/** Far more than a job may say: a handler that floods the channel would take the agent's time from others. */
const MAX_MESSAGES = 3_000

interface CurrentJob {
  readonly run: number
  readonly listener: JobListener
  readonly settle: (outcome: HandlerOutcome) => void
}

/** A process and what it is doing. */
interface Running {
  readonly child: SpawnedProcess
  readonly loading: Settling
  readonly listener: ProcessListener
  /** Jobs that it was given. */
  runs: number
  /** Of the current job. */
  messages: number
  current: CurrentJob | undefined
  isGone: boolean
}

/** Starts a process, which loads the handlers. */
export function startHandlerProcess(
  parts: {
    readonly command: LoadCommand
    readonly limits: PoolLimits
    readonly guard: Guard
    readonly clock: Clock
  },
  listener: ProcessListener,
): HandlerProcess {
  const { command, guard, clock } = parts
  const { heapMegabytes } = parts.limits
  const child = spawnHandlerProcess({ heapMegabytes, guard, clock }, message => takeMessage(running, message))
  const running: Running = {
    child,
    loading: createSettling(),
    listener,
    runs: 0,
    messages: 0,
    current: undefined,
    isGone: false,
  }
  const ended = child.ended.then(logText => {
    running.isGone = true
    running.loading.reject(endedWhileLoading(command, logText))
    settle(running, { kind: 'threw', failure: plainFailure(logText) })
  })
  child.send(command)
  return {
    pid: child.pid,
    loaded: running.loading.promise,
    ended,
    run: (job, jobListener) =>
      new Promise(resolve => run(running, job, { listener: jobListener, settle: resolve })),
    abort(reason) {
      if (running.current !== undefined) child.send({ kind: 'abort', run: running.current.run, reason })
    },
    end: why => child.kill(why),
  }
}

function run(running: Running, job: HandlerJob, by: Omit<CurrentJob, 'run'>): void {
  const { child } = running
  if (running.isGone)
    return by.settle({ kind: 'threw', failure: plainFailure('its process ended before it began') })
  running.runs += 1
  running.messages = 0
  running.current = { run: running.runs, ...by }
  child.keepAwake(true)
  child.send({ kind: 'run', run: running.runs, job })
}

function takeMessage(running: Running, message: unknown): void {
  running.messages += 1
  const report = readHandlerReport(message)
  if (running.messages > MAX_MESSAGES) running.child.kill('it sent more messages than an agent can take')
  else if (report !== undefined) take(running, report)
}

function take(running: Running, report: HandlerReport): void {
  const { child, loading, listener, current } = running
  if (report.kind === 'loaded') {
    child.keepAwake(false)
    loading.resolve()
  } else if (report.kind === 'not-loaded') {
    loading.reject(loadFailureError(report.failure))
    child.kill('it did not load')
  } else if (report.kind === 'stray') takeStray(running, report)
  else if (report.kind === 'clean') {
    if (report.run === running.runs) listener.onClean()
  } else if (report.run === current?.run) takeOfJob(running, report, current)
}

/** Where nobody knows whose it is, it is the running job's: that one may wait for what is broken now. */
function takeStray(
  running: Running,
  { run, jobId, failure }: Extract<HandlerReport, { kind: 'stray' }>,
): void {
  const { child, listener, current } = running
  const isItsOwn = current !== undefined && (run === undefined || run === current.run)
  if (isItsOwn) settle(running, { kind: 'threw', failure: { ...failure, typed: undefined } })
  else listener.onStray(failure, jobId)
  if (running.current === undefined) child.kill(`an uncaught error: ${failure.logText}`)
}

function takeOfJob(
  running: Running,
  report: Extract<HandlerReport, { kind: 'log' | 'ask' | 'returned' | 'threw' }>,
  job: CurrentJob,
): void {
  if (report.kind === 'log') return job.listener.log(report.message)
  if (report.kind === 'ask') return void answer(running.child, report, job)
  if (report.kind === 'returned') settle(running, { kind: 'returned', checked: report.checked })
  else settle(running, { kind: 'threw', failure: report.failure })
  running.listener.onJobOver(report.clean)
}

/** A process that was given up meanwhile is sent nothing: its messages have nowhere to go. */
async function answer(
  child: SpawnedProcess,
  { run, ask, question }: Extract<HandlerReport, { kind: 'ask' }>,
  { listener }: CurrentJob,
): Promise<void> {
  child.send({ kind: 'answer', run, ask, answer: await listener.answer(question) })
}

function settle(running: Running, outcome: HandlerOutcome): void {
  const job = running.current
  running.current = undefined
  running.child.keepAwake(false)
  job?.settle(outcome)
}

function plainFailure(logText: string): HandlerFailure {
  return { logText, at: undefined, typed: undefined }
}

function endedWhileLoading({ file }: LoadCommand, logText: string): HandlersError {
  return new HandlersError(
    `${relativePlace(file)} could not be loaded: ${logText}`,
    'what it does while it is imported must come to an end, and must not end the process',
  )
}

interface Settling {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function createSettling(): Settling {
  let resolve: Settling['resolve'] = () => undefined
  let reject: Settling['reject'] = () => undefined
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}
