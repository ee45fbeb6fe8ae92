import { describeTakenPort } from 'farebox/internal/command-line'

/** A port that a program was to listen on belongs to another; the message says to which, and what to do. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly port: number

  constructor(message: string, port: number, options?: ErrorOptions) {
    super(message, options)
    this.port = port
  }
}

/**
 * Looks up who has a port, as far as that can be told, for the error to throw.
 *
 * @param what - what should have listened there: "the chain"
 * @param cause - how it was found out
 */
export async function portTaken(port: number, what: string, cause?: unknown): Promise<PortTakenError> {
  return new PortTakenError(await describeTakenPort(port, what), port, { cause })
}
