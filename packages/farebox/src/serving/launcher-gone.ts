import { readProcess, readParent } from '../read-process.ts'

const LOOK_EVERY_MS = 500
/** Npm runs every command in a shell, which ends on a signal without forwarding it. */
const SHELL = /^(?:\S*\/)?(?:ba|da|z)?sh -c /

/**
 * Resolves when this process was started by npm or npx and that process has ended. A signal for `npx farebox start`
 * reaches npm and its shell, which do not reliably forward it, and `kill -9` reaches only npm. Never resolves, and
 * polls nothing, when this process was not started by npm. It does not keep the process alive.
 *
 * @param variables the environment
 */
export async function launcherGone(variables: {
  readonly [name: string]: string | undefined
}): Promise<void> {
  // npm sets this variable in every process that it starts.
  if (variables['npm_execpath'] === undefined || process.platform === 'win32') return await never()
  const parent = process.ppid
  const shell = await readProcess(parent)
  const isShell = shell !== undefined && SHELL.test(shell.commandLine)
  // If the shell has replaced itself by this process, npm is the direct parent.
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
    // A process of another user is running as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function never(): Promise<void> {
  return await new Promise(() => undefined)
}
