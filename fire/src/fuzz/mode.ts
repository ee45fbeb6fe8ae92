/** How an agent is run: payments off, payments on, or payments on without FACILITATOR_SECRET (D11). */
export type Mode = 'dev' | 'paid' | 'locked'

export const MODES: readonly Mode[] = ['dev', 'paid', 'locked']
