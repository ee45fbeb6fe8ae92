import { passToRuntime } from './pass-to-runtime.ts'

/** `farebox start`: the runtime's own command, as its own program does it. */
export const startCommand = passToRuntime('start')
