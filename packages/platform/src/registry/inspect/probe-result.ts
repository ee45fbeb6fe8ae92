import type { Declaration } from '@farebox/protocol/declaration/declaration'

/** What a probe of an agent's endpoint came to. */
export type ProbeResult =
  /** Serves a declaration and asks to be paid on our network, to the wallet it declares. */
  | { readonly kind: 'agent'; readonly declaration: Declaration; /** Lower-case. */ readonly wallet: string }
  /** Lives, and serves no `/about` (D36). */
  | { readonly kind: 'phase-1'; /** As `/health` tells it. */ readonly name: string }
  /** Is no agent that we would list. */
  | { readonly kind: 'refused'; readonly field: ProbedField; readonly reason: string }

/** What of an agent is at fault. */
export type ProbedField = 'endpoint' | 'health' | 'about' | 'execute'

/** A refusal by field and reason. The reason is one of ours, never the agent's words (SSRF-08). */
export function refuseProbe(
  field: ProbedField,
  reason: string,
): Extract<ProbeResult, { readonly kind: 'refused' }> {
  return { kind: 'refused', field, reason }
}

/** A refusal as people read it: `about: is not JSON`. */
export function sentenceOf({
  field,
  reason,
}: {
  readonly field: ProbedField
  readonly reason: string
}): string {
  return `${field}: ${reason}`
}
