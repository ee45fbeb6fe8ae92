import { spawn } from 'node:child_process'

/**
 * Makes a child process end when this process ends, even after `kill -9`.
 *
 * A small shell waits on a pipe whose other end this process holds. The system closes that end when this process ends for
 * any reason. The shell then sends SIGTERM to the child, and a second signal if the child still runs after twelve seconds.
 * Windows lacks that shell, so the function does nothing there; the next start ends the child.
 *
 * @param pid - the child
 * @param insistence - the second signal: KILL for most programs, INT for PostgreSQL, which then no longer waits for its
 * clients and still writes everything to disk
 * @returns a function to call when the child has ended, before another process can get its pid
 */
export function endWithUs(pid: number, insistence: 'KILL' | 'INT' = 'KILL'): () => void {
  if (process.platform === 'win32') return () => undefined
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'end-with-us', String(pid), insistence], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    // The path is for `sleep`, the only command in the script that is not built into the shell.
    env: { PATH: '/usr/bin:/bin' },
  })
  // Without a shell the child only outlives a crash of this process, until the next start.
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
