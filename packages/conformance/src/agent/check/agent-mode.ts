/** How an agent takes jobs, as far as a stranger can tell. */
export type AgentMode =
  /** Payments are off (interface, "Authentication" 3). */
  | 'dev'
  /** Jobs are paid for. */
  | 'paid'
  /** Jobs would be paid for, but FACILITATOR_SECRET is missing: every payment is answered 401 (D11). */
  | 'locked'
