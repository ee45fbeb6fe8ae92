/** How an agent accepts jobs, as far as a caller can tell. */
export type AgentMode =
  /** Payments are disabled (interface, "Authentication" 3). */
  | 'dev'
  /** Jobs must be paid for. */
  | 'paid'
  /** Jobs must be paid for, but FACILITATOR_SECRET is missing: every payment is answered 401 (D11). */
  | 'locked'
