import { readFile } from 'node:fs/promises'
import { until } from '@farebox/protocol/src/test-setup/until'

const LOOK_EVERY_MS = 10

/**
 * SIGKILL to a process that we started and to everything it has forked, as a power cut would end them together;
 * resolves once all are gone. Linux alone: it looks into `/proc`.
 */
export async function killFamily(pid: number): Promise<void> {
  // Stopped first: nothing is forked between the look and the kill.
  const family = await stopFamily(pid)
  for (const member of family) send(member, 'SIGKILL')
  await until(async () => !(await Promise.all(family.map(runs))).includes(true), LOOK_EVERY_MS)
}

/**
 * Lets a process that we started, and all it has forked, stand still: to everybody else it is there and says nothing.
 * Resolves to the way to let it go on; what has ended meanwhile is left alone.
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

/** Does nothing where it has ended already. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone.
  }
}

/** A zombie does not: it has let go of everything but its number. */
async function runs(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/^\d+ \(.*\) [ZX] /s.test(stat)
}
