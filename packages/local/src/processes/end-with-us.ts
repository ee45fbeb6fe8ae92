import { spawn } from 'node:child_process'

/**
 * Sees to it that a child process ends when we do, even by `kill -9`.
 *
 * A tiny shell waits on a pipe of which we hold the other end. The system closes it when we are gone, however
 * that happens, and the shell then asks the child to end, and insists where it has not after twelve seconds. On
 * Windows, without that shell, nothing happens: there the next start clears up.
 *
 * @param pid - the child
 * @param insistence - the signal that ends it for certain: KILL for most, INT for PostgreSQL, which then no longer
 * waits for its clients and still writes everything to disk
 * @returns a function to call when the child has ended, before its pid can go to another process
 */
export function endWithUs(pid: number, insistence: 'KILL' | 'INT' = 'KILL'): () => void {
  if (process.platform === 'win32') return () => undefined
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'end-with-us', String(pid), insistence], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    // For `sleep`, the one program that is none of the shell's own.
    env: { PATH: '/usr/bin:/bin' },
  })
  // Without a shell the child merely outlives a crash of ours, until the next start.
  shell.on('error', () => undefined)
  shell.stdin.on('error', () => undefined)
  shell.unref()
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return () => shell.kill('SIGKILL')
}

const SCRIPT = `read -r _
kill -s TERM "$1"
seconds=0
while kill -s 0 "$1" && [ "$seconds" -lt 12 ]; do
  sleep 1
  seconds=$((seconds + 1))
done
kill -s "$2" "$1"`
