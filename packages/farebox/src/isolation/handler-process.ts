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

/** A process that runs one handler at a time. */
export interface HandlerProcess {
  /** Undefined when the system could not create the process. */
  readonly pid: number | undefined
  /** Resolves when the handlers are loaded; rejects with the reason when they cannot be loaded. */
  readonly loaded: Promise<void>
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>
  /** Runs one job. Never rejects; the end of the process is an outcome, too. */
  run(job: HandlerJob, listener: JobListener): Promise<HandlerOutcome>
  /** Asks the handler to stop. */
  abort(reason: string): void
  /** Kills the process; its current job fails with this reason. */
  end(why: string): void
}

/** Receives what a job reports while it runs. */
export interface JobListener {
  log(message: string): void
  /** Never rejects. */
  answer(question: AgentQuestion): Promise<AgentAnswer>
}

/** The result of a job. */
export type HandlerOutcome =
  | { readonly kind: 'returned'; readonly checked: CheckedOutput }
  | { readonly kind: 'threw'; readonly failure: HandlerFailure }

/** Receives reports of a handler process that are not part of a job's outcome. */
export interface ProcessListener {
  /**
   * The job has ended. `clean`: nothing of it is still running, so the next job may be sent; otherwise `onClean`
   * follows.
   */
  onJobOver(clean: boolean): void
  onClean(): void
  /** An uncaught error that does not belong to the running job. The process gets no further job. */
  onStray(failure: HandlerFailure, jobId: string | undefined): void
}

/** The most messages of one job. A handler that floods the channel would take the agent's time from other jobs. */
const MAX_MESSAGES = 3_000

interface CurrentJob {
  readonly run: number
  readonly listener: JobListener
  readonly settle: (outcome: HandlerOutcome) => void
}

/** A process and its state. */
interface Running {
  readonly child: SpawnedProcess
  readonly loading: Settling
  readonly listener: ProcessListener
  /** The number of jobs that the process was given. */
  runs: number
  /** The number of messages of the current job. */
  messages: number
  current: CurrentJob | undefined
  isGone: boolean
}

/** Starts a process that loads the handlers. */
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

/**
 * Handles an uncaught error. An error of unknown origin fails the running job, because that job may depend on what has
 * failed.
 */
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

/** Answers a question of the handler. If the process has been given up meanwhile, the answer is not delivered. */
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
