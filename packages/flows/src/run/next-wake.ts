import type { Run } from './run-state.ts'

/**
 * The time at which a run next needs the event `woken`: a wait ends, or a stored payment expires and is deleted.
 *
 * @returns unix seconds; undefined: time alone changes nothing
 * @example
 * ```ts
 * import { nextWake } from '@farebox/flows/run/next-wake'
 * import type { Run } from '@farebox/flows/run/run-state'
 *
 * export function secondsToSleep(run: Run, now: number): number | undefined {
 *   const at = nextWake(run)
 *   return at === undefined ? undefined : Math.max(0, at - now)
 * }
 * ```
 */
export function nextWake({ control, steps, payments }: Run): number | undefined {
  if (control === 'cancelled') return undefined
  const times: number[] = []
  for (const step of Object.values(steps)) if (step.state === 'sleeping') times.push(step.until)
  for (const payment of Object.values(payments).flat())
    if (payment.state === 'ready') times.push(payment.valid_before)
  return times.length === 0 ? undefined : Math.min(...times)
}
