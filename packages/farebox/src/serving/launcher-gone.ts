import { readProcess, readParent } from '../read-process.ts'

const LOOK_EVERY_MS = 500
/** Npm runs every command by a shell, which ends at a signal without passing it on. */
const SHELL = /^(?:\S*\/)?(?:ba|da|z)?sh -c /

/**
 * Resolves when this process was started by npm or npx, and that has ended: a signal for `npx farebox start` reaches
 * npm and its shell, and neither passes it on for certain; `kill -9` reaches npm alone. Never resolves, and asks nothing,
 * where this process was not started by them. It keeps no process alive.
 *
 * @param variables the environment
 */
export async function launcherGone(variables: {
  readonly [name: string]: string | undefined
}): Promise<void> {
  // Set by npm in all that it runs.
  if (variables['npm_execpath'] === undefined || process.platform === 'win32') return await never()
  const parent = process.ppid
  const shell = await readProcess(parent)
  const isShell = shell !== undefined && SHELL.test(shell.commandLine)
  // Where the shell has made way for this process, npm is the parent itself.
  const npm = isShell ? await readParent(parent) : undefined
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      if (process.ppid === parent && (npm === undefined || isRunning(npm))) return
      clearInterval(timer)
      resolve()
    }, LOOK_EVERY_MS)
    timer.unref()
  })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process runs as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function never(): Promise<void> {
  return await new Promise(() => undefined)
}
