import { fileURLToPath } from 'node:url'

// Paths in the build, even when a test loads this module from its source.

/** The program that runs handlers. */
export const HANDLER_PROGRAM = fileURLToPath(import.meta.resolve('#built/isolation/handler-program'))
/** The program that kills handler processes whose agent has ended. */
export const GUARD_PROGRAM = fileURLToPath(import.meta.resolve('#built/isolation/orphan-guard-program'))

/** Node's options for these processes: those of this process, except for the debugger, whose port is in use. */
export function nodeOptions(): string[] {
  return process.execArgv.filter(option => !option.startsWith('--inspect'))
}
