import { PortTakenError } from './port-taken-error.ts'

/** Which port: that one or none; 0, any free one; `preferred`, that one and any free one where it is taken. */
export type PortChoice = number | { readonly preferred: number }

/**
 * Starts something on the port of a choice.
 *
 * @param start - told 0 for any free one; starts nothing where it throws
 * @throws PortTakenError what `start` throws, unless another port will do
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
