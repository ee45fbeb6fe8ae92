/** The payment gate of an agent of one's own, whose faults a run orders; `createFakeGate` of `farebox/testing` is one. */
export interface ScriptedGate {
  /** The next payments that are verified come to these, one each. */
  failVerify(...faults: readonly ('invalid' | 'unauthorized' | 'unavailable')[]): void
  /** The next settlements come to these, one each. */
  failSettle(...faults: readonly ('unknown' | 'failed')[]): void
  /** What was asked of it so far: settlements, repeats included, and distinct payments charged. */
  counts(): { readonly settleCalls: number; readonly charged: number }
}
