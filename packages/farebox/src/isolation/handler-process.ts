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
import { spawnHandlerProcess } from './spawn-handler-process.ts'

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
  /** Ends the process at once; a job that it has is told why. */
  end(why: string): void
}

/** Whoever has a job done hears of it. */
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
  let runs = 0
  let messages = 0
  let current: CurrentJob | undefined
  let isGone = false
  const loading = createSettling()
  const child = spawnHandlerProcess({ heapMegabytes, guard, clock }, message => {
    messages += 1
    const report = readHandlerReport(message)
    if (messages > MAX_MESSAGES) child.kill('it sent more messages than an agent can take')
    else if (report !== undefined) take(report)
  })

  const settle = (outcome: HandlerOutcome): void => {
    const job = current
    current = undefined
    child.keepAwake(false)
    job?.settle(outcome)
  }
  const ended = child.ended.then(logText => {
    isGone = true
    loading.reject(endedWhileLoading(command, logText))
    settle({ kind: 'threw', failure: plainFailure(logText) })
  })

  const take = (report: HandlerReport): void => {
    if (report.kind === 'loaded') {
      child.keepAwake(false)
      loading.resolve()
    } else if (report.kind === 'not-loaded') {
      loading.reject(loadFailureError(report.failure))
      child.kill('it did not load')
    } else if (report.kind === 'stray') takeStray(report)
    else if (report.kind === 'clean') {
      if (report.run === runs) listener.onClean()
    } else if (report.run === current?.run) takeReport(report, current)
  }

  const takeReport = (
    report: Extract<HandlerReport, { kind: 'log' | 'ask' | 'returned' | 'threw' }>,
    job: CurrentJob,
  ): void => {
    if (report.kind === 'log') return job.listener.log(report.message)
    if (report.kind === 'ask') return void answer(report, job)
    if (report.kind === 'returned') settle({ kind: 'returned', checked: report.checked })
    else settle({ kind: 'threw', failure: report.failure })
    listener.onJobOver(report.clean)
  }

  /** A process that was given up meanwhile is sent nothing: its messages have nowhere to go. */
  const answer = async (
    { run, ask, question }: Extract<HandlerReport, { kind: 'ask' }>,
    { listener }: CurrentJob,
  ): Promise<void> => child.send({ kind: 'answer', run, ask, answer: await listener.answer(question) })

  /** Where nobody knows whose it is, it is the running job's: that one may wait for what is broken now. */
  const takeStray = ({ run, jobId, failure }: Extract<HandlerReport, { kind: 'stray' }>): void => {
    const isItsOwn = current !== undefined && (run === undefined || run === current.run)
    if (isItsOwn) settle({ kind: 'threw', failure: { ...failure, typed: undefined } })
    else listener.onStray(failure, jobId)
    if (current === undefined) child.kill(`an uncaught error: ${failure.logText}`)
  }

  child.send(command)
  return {
    pid: child.pid,
    loaded: loading.promise,
    ended,
    run: (job, listener) =>
      new Promise(resolve => {
        if (isGone)
          return resolve({ kind: 'threw', failure: plainFailure('its process ended before it began') })
        runs += 1
        messages = 0
        current = { run: runs, listener, settle: resolve }
        child.keepAwake(true)
        child.send({ kind: 'run', run: runs, job })
      }),
    abort(reason) {
      if (current !== undefined) child.send({ kind: 'abort', run: current.run, reason })
    },
    end: why => child.kill(why),
  }
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
