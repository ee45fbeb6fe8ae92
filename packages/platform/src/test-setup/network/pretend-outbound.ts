import type { Outbound, OutboundOutcome, OutboundRequest } from '../../outbound/outbound.ts'

/** What a pretended agent does with one attempt at its `/health`. */
export type Attempt =
  | 'ok'
  | 'refuse'
  | { readonly status: number; readonly body: string; readonly elapsedMs?: number }

/** Outbound calls that go nowhere: a test says what each brings. Nothing of the guard itself is tested with it. */
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

/** The documented answer of `GET /health`. */
export function healthOf(name: string): string {
  return JSON.stringify({ name, version: '1.0', status: 'ok' })
}
