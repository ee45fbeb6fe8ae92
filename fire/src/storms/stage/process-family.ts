import { readFile } from 'node:fs/promises'
import { until } from '@farebox/protocol/src/test-setup/until'

const LOOK_EVERY_MS = 10

/**
 * SIGKILL to a process that we started and to all its descendants, as a power cut would end them together; resolves
 * once all have ended. Linux only: it reads `/proc`.
 */
export async function killFamily(pid: number): Promise<void> {
  // Stopped first, so that nothing is forked between the read and the kill.
  const family = await stopFamily(pid)
  for (const member of family) send(member, 'SIGKILL')
  await until(async () => !(await Promise.all(family.map(runs))).includes(true), LOOK_EVERY_MS)
}

/**
 * Suspends a process that we started, and all its descendants: for other processes it exists and does not respond.
 * Resolves to a function that resumes it; processes that have ended meanwhile are skipped.
 */
export async function freezeFamily(pid: number): Promise<() => void> {
  const family = await stopFamily(pid)
  return () => {
    for (const member of family.toReversed()) send(member, 'SIGCONT')
  }
}

async function stopFamily(pid: number): Promise<readonly number[]> {
  send(pid, 'SIGSTOP')
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const children = text.split(' ').flatMap(word => (/^\d+$/.test(word) ? [Number(word)] : []))
  for (const child of children) send(child, 'SIGSTOP')
  return [pid, ...children]
}

/** Does nothing if it has ended already. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

/** A zombie does not count: it has released everything except its pid. */
async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/^\d+ \(.*\) [ZX] /s.test(stat)
}
