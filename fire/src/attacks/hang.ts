/** Ends what hangs, and judges nothing. */
export const HANG_MS = 600_000
