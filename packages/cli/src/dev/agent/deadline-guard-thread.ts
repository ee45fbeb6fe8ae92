// The thread of deadline-guard.ts: answers for a process that is held up by a handler, and ends it.
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import {
  ERROR_STATUS,
  failureBody,
  INTERNAL_ERROR_MESSAGE,
  type ErrorType,
} from '@farebox/protocol/errors/error-types'
import type { GuardedJob, GuardMessage } from './deadline-guard.ts'

const LOOK_EVERY_MS = 100
/** Looks without a beat, not time: after a laptop's sleep nobody has been held up. */
const HELD_UP_AFTER = 10
/** Then it is said which handler holds everything up, deadline or not. */
const TOLD_AFTER = 30

const beats = workerData as Int32Array
const jobs = new Map<number, GuardedJob>()
let format: 'text' | 'json' = 'text'
let [lastBeat, silentLooks] = [0, 0]

parentPort?.on('message', (message: GuardMessage) => {
  if (message.kind === 'begun') jobs.set(message.job.id, message.job)
  else if (message.kind === 'ended') jobs.delete(message.id)
  else format = message.format
})
setInterval(look, LOOK_EVERY_MS)

function look(): void {
  const beat = Atomics.load(beats, 0)
  silentLooks = beat === lastBeat ? silentLooks + 1 : 0
  lastBeat = beat
  if (silentLooks < HELD_UP_AFTER || jobs.size === 0) return
  const now = Date.now()
  const running = [...jobs.values()]
  const late = running.filter(({ deadlineMs }) => deadlineMs <= now)
  if (late.length === 0) {
    if (silentLooks === TOLD_AFTER)
      running.forEach(job =>
        say(job, `${job.capability} has not awaited for 3 s: no other job is served meanwhile`),
      )
    return
  }
  for (const job of running) {
    if (late.includes(job)) {
      answer(job, 'deadline', 'the handler did not return before the deadline')
      say(
        job,
        `${job.capability} never awaited and ran past its deadline: answered 408, its process is ended`,
      )
    } else {
      answer(job, 'internal', INTERNAL_ERROR_MESSAGE)
    }
  }
  end()
}

/** Nothing has been written on this connection yet: the handler has not returned. */
function answer({ socket }: GuardedJob, type: ErrorType, message: string): void {
  if (socket === undefined) return
  const body = JSON.stringify(failureBody(type, message))
  const head = [
    `HTTP/1.1 ${ERROR_STATUS[type]} ${type === 'deadline' ? 'Request Timeout' : 'Internal Server Error'}`,
    'content-type: application/json; charset=utf-8',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  attempt(() => writeSync(socket, `${head.join('\r\n')}\r\n\r\n${body}`))
}

function say({ jobId, capability }: GuardedJob, text: string): void {
  const line =
    format === 'text'
      ? `handler error: ${text} job=${jobId}`
      : JSON.stringify({
          time: new Date().toISOString(),
          level: 'warn',
          event: 'handler error',
          job: jobId,
          capability,
          reason: text,
        })
  attempt(() => writeSync(2, `${line}\n`))
}

/** SIGVTALRM, "too much time": nobody else sends it, and the watching process knows by it what happened. */
function end(): void {
  try {
    process.kill(process.pid, 'SIGVTALRM')
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}

/** The caller may be gone, or nobody may read what is said. */
function attempt(work: () => unknown): void {
  try {
    work()
  } catch {
    // The process is about to end all the same.
  }
}
