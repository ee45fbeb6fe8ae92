import { spawn } from 'node:child_process'

/**
 * Sees to it that a child process ends when we do, even by `kill -9`.
 *
 * A tiny shell waits on a pipe of which we hold the other end. The system closes it when we are gone, however
 * that happens, and the shell then asks the child to end. On Windows, without that shell, nothing happens:
 * there the next start clears up.
 *
 * @param pid - the child
 * @returns a function to call when the child has ended, before its pid can go to another process
 */
export function endWithUs(pid: number): () => void {
  if (process.platform === 'win32') return () => undefined
  const script = 'read -r _; kill -TERM "$1"'
  const shell = spawn('/bin/sh', ['-c', script, 'end-with-us', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  })
  // Without a shell the child merely outlives a crash of ours, until the next start.
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return () => shell.kill('SIGKILL')
}
