import { setTimeout as delay } from 'node:timers/promises'
import { readProcess } from 'farebox/internal/command-line'
import type { ProcessDescription } from 'farebox/internal/command-line'

const LOOK_EVERY_MS = 20

/**
 * Ends a process that is not a child of this process and waits until it has ended: sends the given signal first, and
 * SIGKILL when the process still runs after the grace period. A different process that has the pid now is not signalled.
 *
 * @param target - the process as it was read; no signal is sent when it has ended since
 * @param signal - the first signal: SIGTERM for most programs, SIGINT for PostgreSQL's fast shutdown
 * @param graceMs - the time between the first signal and SIGKILL
 * @throws Error when the process still runs after SIGKILL, or when this process may not signal it
 */
export async function endProcess(
  target: ProcessDescription,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  if (await isGone(target)) return
  sendSignal(target.pid, signal)
  if (await isGoneWithin(target, graceMs)) return
  sendSignal(target.pid, 'SIGKILL')
  if (await isGoneWithin(target, 5_000)) return
  throw new Error(`Process ${target.pid} (${target.commandLine}) does not end, not even by SIGKILL`)
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

async function isGoneWithin(target: ProcessDescription, limitMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs <= limitMs; waitedMs += LOOK_EVERY_MS) {
    if (await isGone(target)) return true
    await delay(LOOK_EVERY_MS)
  }
  return false
}

async function isGone(target: ProcessDescription): Promise<boolean> {
  return (await readProcess(target.pid))?.startedAt !== target.startedAt
}
