import { setTimeout as delay } from 'node:timers/promises'
import { readProcess } from 'farebox/internal/command-line'
import type { ProcessDescription } from 'farebox/internal/command-line'

const LOOK_EVERY_MS = 20

/**
 * Ends a process that is not our child and waits until it is gone: the polite signal first, SIGKILL when it
 * has not ended by then. A process that took over the pid in the meantime is left alone.
 *
 * @param target - the process as it was read; nothing is sent when it has ended since
 * @param signal - the polite signal: SIGTERM for most, SIGINT for PostgreSQL's fast shutdown
 * @param graceMs - how long it may take after the polite signal
 * @throws Error when it still runs after SIGKILL, or when we may not signal it
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
