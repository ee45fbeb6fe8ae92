import { passToRuntime } from '../start/pass-to-runtime.ts'

/** `farebox validate`: the runtime's own command, as its own program does it. */
export const validateCommand = passToRuntime('validate')
