import { createTurns } from '@farebox/protocol/internal/body/turns'
import { systemClock } from '@farebox/protocol/time/clock'
import { isSmall } from '../small-json.ts'

/** The queue for work that would block the event loop; one for each process. */
export const loopTurns = createTurns(systemClock)

/** Runs work on plain JSON: at once when the JSON is small, otherwise in its turn of the queue. */
export async function inLoopTurn<T>(json: unknown, piece: () => T): Promise<Awaited<T>> {
  return isSmall(json) ? await piece() : await loopTurns.take(piece)
}
