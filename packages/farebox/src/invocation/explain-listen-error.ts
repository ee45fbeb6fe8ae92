import { shownText } from '../config/shown-text.ts'
import { ExplainedError } from '../explained-error.ts'

/** Enough of a command line to recognize the program. */
const SHOWN_CHARACTERS = 120

/**
 * Converts an error of `listen` into an explained one; for a used port it names the process, if that is known. Other
 * errors are returned unchanged.
 */
export async function explainListenError(
  error: unknown,
  { port, host }: { readonly port: number; readonly host: string | undefined },
): Promise<unknown> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new ExplainedError(
        `cannot listen: port ${port} is ${await describeOwner(port)}`,
        'end that, or choose another port with --port',
        { cause: error },
      )
    case 'EACCES':
      return new ExplainedError(
        `cannot listen: this user may not use port ${port}`,
        'choose one above 1023 with --port, and put a proxy in front of it',
        { cause: error },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ExplainedError(
        `cannot listen: ${host ?? 'the host'} is not an address of this machine`,
        'leave --host out for all interfaces',
        { cause: error },
      )
    default:
      return error
  }
}

async function describeOwner(port: number): Promise<string> {
  const { findPortOwner } = await import('../agent/port-owner.ts')
  const owner = await findPortOwner(port).catch(() => undefined)
  if (owner === undefined) return 'in use by another program'
  const { pid, commandLine } = owner
  const command = shownText(commandLine)
  const shown = command.length > SHOWN_CHARACTERS ? `${command.slice(0, SHOWN_CHARACTERS)}…` : command
  return `taken by process ${pid} (${shown})`
}
