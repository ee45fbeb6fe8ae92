// The thread of deadline-guard.ts: it answers for a process that a handler blocks, and ends that process.
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
/** Missing heartbeats are counted instead of time, so that a laptop's sleep does not count as a blocked process. */
const HELD_UP_AFTER = 10
/** After this many, the blocking handler is reported, even before its deadline. */
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

/** No bytes have been written on this connection yet, because the handler has not returned. */
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

/** SIGVTALRM, "too much time": no other sender uses this signal, so the watching process recognises the cause. */
function end(): void {
  try {
    process.kill(process.pid, 'SIGVTALRM')
  } catch {
    process.kill(process.pid, 'SIGKILL')
  }
}

/** Ignores errors: the caller may have disconnected, or the output may have no reader. */
function attempt(work: () => unknown): void {
  try {
    work()
  } catch {
    // The process is about to end in any case.
  }
}
