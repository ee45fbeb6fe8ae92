/** A worker that waits for one piece of work. */
export interface Reserved<Work> {
  /** Under whose lease the work is written down. */
  readonly holder: string
  /** The work is written down, and is the worker's now. */
  begin(work: Work): void
  /** There is none after all. */
  release(): void
}

/** Leads work that was just written down to a worker of this process, which need not look for it then. */
export interface Handover<Work> {
  /** Who has workers from now on; undefined: nobody. */
  serve(reserve: ((place: string) => Reserved<Work> | undefined) | undefined): void
  /** A worker for work at a place; undefined where none is free, or others have waited for it longer. */
  reserve(place: string): Reserved<Work> | undefined
}

/**
 * Makes one that nobody serves yet.
 *
 * @example
 * ```ts
 * import { createHandover } from '@farebox/platform/handover'
 *
 * const handover = createHandover<string>()
 * handover.reserve('agent.example') // undefined
 * ```
 */
export function createHandover<Work>(): Handover<Work> {
  let served: ((place: string) => Reserved<Work> | undefined) | undefined
  return {
    serve: reserve => void (served = reserve),
    reserve: place => served?.(place),
  }
}
