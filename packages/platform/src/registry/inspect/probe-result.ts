import type { Declaration } from '@farebox/protocol/declaration/declaration'

/** The result of probing an agent's endpoint. */
export type ProbeResult =
  /** The agent serves a declaration and requests payment on the platform's network, to the declared wallet. */
  | { readonly kind: 'agent'; readonly declaration: Declaration; /** Lower case. */ readonly wallet: string }
  /** The agent responds, but serves no `/about` (D36). */
  | { readonly kind: 'phase-1'; /** As in `/health`. */ readonly name: string }
  /** The agent cannot be listed. */
  | { readonly kind: 'refused'; readonly field: ProbedField; readonly reason: string }

/** The part of an agent that is at fault. */
export type ProbedField = 'endpoint' | 'health' | 'about' | 'execute'

/**
 * Creates a refusal with field and reason. The reason is one of the platform's sentences, never text of the agent
 * (SSRF-08).
 */
export function refuseProbe(
  field: ProbedField,
  reason: string,
): Extract<ProbeResult, { readonly kind: 'refused' }> {
  return { kind: 'refused', field, reason }
}

/** Formats a refusal for users: `about: is not JSON`. */
export function sentenceOf({
  field,
  reason,
}: {
  readonly field: ProbedField
  readonly reason: string
}): string {
  return `${field}: ${reason}`
}
