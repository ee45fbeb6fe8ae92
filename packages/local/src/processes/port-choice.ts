import { PortTakenError } from './port-taken-error.ts'

/**
 * A port: a number means that port only (0: any free one); `preferred` falls back to any free port when that port is taken.
 */
export type PortChoice = number | { readonly preferred: number }

/**
 * Starts something on the port that a choice allows.
 *
 * @param start - receives the port, or 0 for any free one; must leave nothing running when it throws
 * @throws PortTakenError from `start`, unless the choice allows another port
 */
export async function startOnPort<T>(choice: PortChoice, start: (port: number) => Promise<T>): Promise<T> {
  if (typeof choice === 'number') return await start(choice)
  try {
    return await start(choice.preferred)
  } catch (error) {
    if (error instanceof PortTakenError) return await start(0)
    throw error
  }
}
