/** What becomes of a call through a port of a process. */
export interface CallFault {
  readonly crash: 'before' | 'after' | undefined
  readonly fail: 'before' | 'after' | undefined
  readonly pauseMs: number
  readonly delayMs: number
}

/** What becomes of most calls: nothing, at once. */
export const UNHARMED: CallFault = { crash: undefined, fail: undefined, pauseMs: 0, delayMs: 0 }
