/**
 * The payment gate of an agent that the run's owner controls. The run schedules its faults; `createFakeGate` of
 * `farebox/testing` is such a gate.
 */
export interface ScriptedGate {
  /** Schedules these results for the next verifications, one for each payment. */
  failVerify(...faults: readonly ('invalid' | 'unauthorized' | 'unavailable')[]): void
  /** Schedules these results for the next settlements, one for each. */
  failSettle(...faults: readonly ('unknown' | 'failed')[]): void
  /** Returns the number of settlement calls so far, including repeats, and of distinct payments charged. */
  counts(): { readonly settleCalls: number; readonly charged: number }
}
