import { fileURLToPath } from 'node:url'

/** The programs that isolation starts: beside this file, in sources and build alike. */
const EXTENSION = import.meta.url.slice(-3)

/** In which handlers run. */
export const HANDLER_PROGRAM = fileURLToPath(new URL(`./handler-program${EXTENSION}`, import.meta.url))
/** Which ends those that outlive their agent. */
export const GUARD_PROGRAM = fileURLToPath(new URL(`./orphan-guard-program${EXTENSION}`, import.meta.url))

/** Node's own options for them: as this process was started, but for a debugger, whose port is taken. */
export function nodeOptions(): string[] {
  return process.execArgv.filter(option => !option.startsWith('--inspect'))
}
