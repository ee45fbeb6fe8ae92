import { serve } from '../serve.ts'
import type { Stage } from '../stage.ts'

/** Passes everything on to a facilitator and counts it, so that a test can see that nobody was asked. */
export interface CountingProxy {
  readonly url: string
  /** Calls so far, `/supported` apart: that one says nothing of a payment. */
  count(): number
}

/** Starts the proxy; the stage stops it. */
export async function startCountingProxy(stage: Stage, target: string): Promise<CountingProxy> {
  let calls = 0
  const { url, stop } = await serve((request, response, body) => {
    if (request.url !== '/supported') calls += 1
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers
    fetch(target + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      ...(body.length > 0 && { body }),
    }).then(
      async answer =>
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
      () => request.socket.destroy(),
    )
  })
  stage.onStrike(stop)
  return { url, count: () => calls }
}
