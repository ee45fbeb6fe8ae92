// The thread of watch-loop.ts: it detects that the process handles no events, reports that, and ends the process.
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { LoopWatchData } from './watch-loop.ts'

const LOOK_EVERY_MS = 1_000
const SAID_AFTER_SECONDS = 5

const { beats, limitSeconds, format } = workerData as LoopWatchData
// Checks without a beat are counted instead of seconds, because a suspended machine has not blocked anything.
let [lastBeat, silentLooks] = [0, 0]

setInterval(() => {
  const beat = Atomics.load(beats, 0)
  silentLooks = beat === lastBeat ? silentLooks + 1 : 0
  lastBeat = beat
  const silentSeconds = (silentLooks * LOOK_EVERY_MS) / 1_000
  if (silentSeconds === SAID_AFTER_SECONDS)
    say(
      'warn',
      `a handler has not awaited for ${SAID_AFTER_SECONDS} s: nothing else is served, and no signal is heard`,
    )
  if (silentSeconds < limitSeconds) return
  say('error', `a handler has not awaited for ${limitSeconds} s: the process is ended`)
  // process.exit would end only this thread.
  process.kill(process.pid, 'SIGKILL')
}, LOOK_EVERY_MS)

function say(level: 'warn' | 'error', text: string): void {
  const hint = 'SERVICE_ISOLATION=worker runs handlers in processes of their own'
  const line =
    format === 'text'
      ? `${level === 'warn' ? 'warning' : 'error'}: ${text}; ${hint}`
      : JSON.stringify({ time: new Date().toISOString(), level, event: text, hint })
  try {
    writeSync(2, `${line}\n`)
  } catch {
    // Stderr is closed; there is nowhere to report that.
  }
}
