import { fileURLToPath } from 'node:url'

// As built, also where a test has loaded this source.

/** In which handlers run. */
export const HANDLER_PROGRAM = fileURLToPath(import.meta.resolve('#built/isolation/handler-program'))
/** Which ends those that outlive their agent. */
export const GUARD_PROGRAM = fileURLToPath(import.meta.resolve('#built/isolation/orphan-guard-program'))

/** Node's own options for them: as this process was started, but for a debugger, whose port is taken. */
export function nodeOptions(): string[] {
  return process.execArgv.filter(option => !option.startsWith('--inspect'))
}
