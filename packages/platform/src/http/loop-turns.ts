import { createTurns } from '@farebox/protocol/internal/body/turns'
import { systemClock } from '@farebox/protocol/time/clock'
import { isSmall } from '../small-json.ts'

/** Work that would hold up the event loop, of which a process has one. */
export const loopTurns = createTurns(systemClock)

/** Does a piece of work on plain JSON: at once where the JSON is small, else in its turn. */
export async function inLoopTurn<T>(json: unknown, piece: () => T): Promise<Awaited<T>> {
  return isSmall(json) ? await piece() : await loopTurns.take(piece)
}
