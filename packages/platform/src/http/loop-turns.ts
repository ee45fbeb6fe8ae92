import { createTurns } from '@farebox/protocol/internal/body/turns'
import { systemClock } from '@farebox/server/clock'

/** Work that would hold up the event loop, of which a process has one. */
export const loopTurns = createTurns(systemClock)
