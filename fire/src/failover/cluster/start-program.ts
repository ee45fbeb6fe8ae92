import type { RunningChild } from '@farebox/local/src/processes/child-process'
import { startWithUs } from '../../storms/stage/start-with-us.ts'

/** Debian's unprivileged user: PostgreSQL, Patroni and PgBouncer do not run as root. */
export const NOBODY = { uid: 65_534, gid: 65_534 }
/** `setpriv` becomes the program, so that the pid is the program's. */
const AS_NOBODY = ['--reuid', String(NOBODY.uid), '--regid', String(NOBODY.gid), '--clear-groups']

/** A program of a distribution, and the sign that it is ready. */
export interface Program {
  readonly name: string
  readonly path: string
  readonly arguments: readonly string[]
  /** Part of the output line that shows readiness. */
  readonly ready: string | RegExp
  readonly logFile: string
  readonly environment?: { readonly [name: string]: string }
}

/** Starts a program as an unprivileged user; it ends with this process. Resolves once it is ready. */
export async function startProgram(program: Program): Promise<RunningChild<true>> {
  const { name, path, logFile, ready, environment = {} } = program
  const isRoot = process.getuid?.() === 0
  const command = isRoot ? 'setpriv' : path
  return await startWithUs({
    part: name,
    command,
    arguments: isRoot ? [...AS_NOBODY, path, ...program.arguments] : program.arguments,
    environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/nonexistent', ...environment },
    logFile,
    ready,
  })
}
