/** How long a message, and a call that is late, takes at most. */
export const SLOWEST_MESSAGE_MS = 12_000
/** How long a process stops at most. */
export const LONGEST_PAUSE_MS = 25_000
