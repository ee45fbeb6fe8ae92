/** How long a message, and a call that is late, takes at most. */
export const SLOWEST_MESSAGE_MS = 12_000
/** How long a process stops at most. */
export const LONGEST_PAUSE_MS = 25_000

/** What becomes of a call through a port of a process. */
export interface CallFault {
  readonly crash: 'before' | 'after' | undefined
  readonly fail: 'before' | 'after' | undefined
  readonly pauseMs: number
  readonly delayMs: number
}

/** What becomes of most calls: nothing, at once. */
export const UNHARMED: CallFault = { crash: undefined, fail: undefined, pauseMs: 0, delayMs: 0 }
