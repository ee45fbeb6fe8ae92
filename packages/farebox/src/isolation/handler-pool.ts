import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { Clock } from '@farebox/protocol/time/clock'
import type { AgentAnswer, AgentQuestion } from '../handler/ask-agent.ts'
import { describeFailure, failureError, logFailure } from '../handler/handler-failure.ts'
import type { HandlerCall, HandlerHost, HandlerReturn } from '../handler/handler-host.ts'
import type { HireRequest } from '../handler/job-hiring.ts'
import { isHireError } from '../handler/hire-error.ts'
import type { Log } from '../log.ts'
import { startOrphanGuard } from './orphan-guard.ts'
import { poolLimits, type PoolLimits } from './pool-limits.ts'
import type { HandlerProcess, HandlerOutcome } from './handler-process.ts'
import { createProcessPool, type ProcessPool } from './process-pool.ts'

/** The parts of a pool of handler processes. */
export interface HandlerPoolParts {
  /** The absolute path of the file of handlers. This process never imports it. */
  readonly file: string
  readonly declaration: Declaration
  readonly devMode: boolean
  readonly clock: Clock
  readonly log: Log
  /** Default: limits computed from this machine. */
  readonly limits?: PoolLimits
}

/** The time that a handler gets to stop before its process is killed. */
const STOP_GRACE_MS = 500

/**
 * Runs handlers in separate processes, each with one job at a time (decision 17), so that a handler that blocks,
 * crashes or exhausts memory affects only its own job. A job waits for a free process, and the wait counts as part of
 * its time.
 *
 * Resolves when the first process has loaded the handlers. Throws the same errors of the handlers as loading them in
 * this process.
 */
export async function createHandlerPool(parts: HandlerPoolParts): Promise<HandlerHost> {
  const { file, declaration, devMode, clock, log } = parts
  const guard = startOrphanGuard()
  const pool = createProcessPool({
    command: { kind: 'load', file, declaration, devMode },
    limits: parts.limits ?? poolLimits(),
    guard,
    clock,
    log,
  })
  const close = async (): Promise<void> => {
    await pool.close()
    guard.close()
  }
  try {
    await pool.started
  } catch (error) {
    await close()
    throw error
  }
  return { run: call => runInProcess(call, pool, { clock, log }), close }
}

async function runInProcess(
  call: HandlerCall,
  pool: ProcessPool,
  { clock, log }: Pick<HandlerPoolParts, 'clock' | 'log'>,
): Promise<HandlerReturn> {
  const { signal } = call.aborter
  const handlerProcess = await pool.acquire(signal)
  if (handlerProcess === undefined) {
    // The job was stopped while it waited, and its caller has been answered.
    const logText = signal.aborted
      ? 'its time ended before a process was free'
      : 'no handler process could be started'
    logFailure(log, call.jobId, { logText, at: undefined, typed: undefined })
    throw new InternalError(INTERNAL_ERROR_MESSAGE)
  }
  const outcome = await stoppable(handlerProcess, call, { clock, log })
  if (outcome.kind === 'returned') return { check: () => outcome.checked }
  logFailure(log, call.jobId, outcome.failure)
  throw failureError(outcome.failure)
}

/**
 * Runs one job in a handler process. When its signal aborts, the handler is asked to stop, and killed if it does not.
 */
async function stoppable(
  handlerProcess: HandlerProcess,
  call: HandlerCall,
  { clock, log }: Pick<HandlerPoolParts, 'clock' | 'log'>,
): Promise<HandlerOutcome> {
  const { jobId, capability, payer, deadline, input, aborter } = call
  const { signal } = aborter
  let cancel: () => void = () => undefined
  const stop = (): void => {
    handlerProcess.abort(signal.reason instanceof Error ? signal.reason.message : 'the job was stopped')
    cancel = clock.after(STOP_GRACE_MS, () => handlerProcess.end('it did not stop when its time was over'))
  }
  signal.addEventListener('abort', stop)
  try {
    const job = { jobId, capability: capability.name, payer, deadlineMs: deadline.atMs, input }
    return await handlerProcess.run(job, {
      log: message => log.job(message, jobId),
      answer: question => answerQuestion(call, question),
    })
  } finally {
    cancel()
    signal.removeEventListener('abort', stop)
  }
}

/** Answers a question of a handler. An error is passed to the handler process: a typed one, or the generic one. */
async function answerQuestion(
  { spending, hiring }: Pick<HandlerCall, 'spending' | 'hiring'>,
  question: AgentQuestion,
): Promise<AgentAnswer> {
  try {
    switch (question.kind) {
      case 'allowance':
        return { kind: 'allowance', amount: await spending.allowance() }
      case 'spend':
        return { kind: 'spend', spent: await spending.spend(question.order) }
      case 'budget':
        return { kind: 'budget', budget: await hiring.budget() }
      case 'hire':
        return { kind: 'hire', hired: await hiring.hire(JSON.parse(question.request) as HireRequest) }
    }
  } catch (error) {
    const { errorType, message } = failureError(describeFailure(error))
    if (!isHireError(error)) return { kind: 'refused', errorType, message }
    const { problem, agent, charged, childErrorType } = error
    return { kind: 'refused', errorType, message, hire: { problem, agent, charged, childErrorType } }
  }
}
