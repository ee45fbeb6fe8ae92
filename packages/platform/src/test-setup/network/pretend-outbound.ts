import type { Outbound, OutboundOutcome, OutboundRequest } from '../../outbound/outbound.ts'

/** How a simulated agent reacts to one request to its `/health`. */
export type Attempt =
  | 'ok'
  | 'refuse'
  | { readonly status: number; readonly body: string; readonly elapsedMs?: number }

/** Simulates outbound calls without a network; the test sets the outcome of each. It does not contain the guard. */
export function pretendOutbound(attempt: (request: OutboundRequest) => Attempt | Promise<Attempt>): Outbound {
  return {
    judge: url => ({ ok: true, url }),
    close: () => Promise.resolve(),
    async send(request): Promise<OutboundOutcome> {
      const done = await attempt(request)
      if (done === 'refuse') {
        const failed = {
          reason: 'unreachable',
          elapsedMs: 1,
          detail: 'pretended',
          mayHaveArrived: false,
        } as const
        return { kind: 'failed', ...failed }
      }
      const {
        status,
        body,
        elapsedMs = 7,
      } = done === 'ok' ? { status: 200, body: healthOf('Word counter') } : done
      return { kind: 'answered', status, headers: {}, body, elapsedMs }
    },
  }
}

/** The documented response of `GET /health`. */
export function healthOf(name: string): string {
  return JSON.stringify({ name, version: '1.0', status: 'ok' })
}
