import { createTurns } from '@farebox/protocol/internal/body/turns'
import { systemClock } from '@farebox/server/clock'

/** Work that would hold up the event loop, of which a process has one. */
export const loopTurns = createTurns(systemClock)

/** Does a piece of work on plain JSON: at once where the JSON is small, else in its turn. */
export async function inLoopTurn<T>(json: unknown, piece: () => T): Promise<Awaited<T>> {
  return isSmall(json) ? await piece() : await loopTurns.take(piece)
}

const MAX_SMALL_VALUES = 1_000
const MAX_SMALL_CHARACTERS = 16_384

/** Whether JSON has few values and few characters. Reads no more of it than that. */
export function isSmall(json: unknown): boolean {
  let values = 0
  let characters = 0
  const left = [json]
  while (left.length > 0) {
    const value = left.pop()
    values += 1
    if (typeof value === 'string') characters += value.length
    else if (Array.isArray(value)) {
      if (value.length > MAX_SMALL_VALUES) return false
      for (const item of value) left.push(item)
    } else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) {
        characters += name.length
        left.push(item)
      }
    if (values + left.length > MAX_SMALL_VALUES || characters > MAX_SMALL_CHARACTERS) return false
  }
  return true
}
