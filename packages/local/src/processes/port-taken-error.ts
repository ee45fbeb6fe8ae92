import { describeTakenPort } from 'farebox/internal/command-line'

/**
 * Thrown when another process uses a port that a program was to listen on; the message names the process and says what to
 * do.
 */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly port: number

  constructor(message: string, port: number, options?: ErrorOptions) {
    super(message, options)
    this.port = port
  }
}

/**
 * Finds out which process uses a port, if possible, and returns the error to throw.
 *
 * @param what - the program that should have listened there: "the chain"
 * @param cause - the error that showed that the port is taken
 */
export async function portTaken(port: number, what: string, cause?: unknown): Promise<PortTakenError> {
  return new PortTakenError(await describeTakenPort(port, what), port, { cause })
}
