import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { serve } from '../serve.ts'
import type { Stage } from '../stage.ts'

/** A proxy between a caller and an agent, which drops messages on request. */
export interface LossyProxy {
  readonly url: string
  /** Values of `PAYMENT-SIGNATURE` of all requests, in order. */
  readonly payments: readonly string[]
  /**
   * The treatment of the next request with a payment: it is dropped, or its answer is. `lost` resolves when that has
   * happened; the caller gets no answer.
   */
  lose(what: 'request' | 'answer'): Promise<void>
}

/** Starts the proxy; the stage stops it. The caller's `Host` reaches the agent: nonces are bound to it (D13). */
export async function startLossyProxy(stage: Stage, target: string): Promise<LossyProxy> {
  const payments: string[] = []
  let loss: { readonly what: 'request' | 'answer'; readonly lost: () => void } | undefined
  const { url, stop } = await serve((request, response, body) => {
    const header = request.headers['payment-signature']
    const now = header === undefined ? undefined : loss
    if (typeof header === 'string') payments.push(header)
    if (now !== undefined) loss = undefined
    if (now?.what === 'request') now.lost()
    else pass(request, body, response, now?.lost)
  })

  function pass(
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    lost: (() => void) | undefined,
  ): void {
    const { method, url: path, headers } = request
    const passed = ask(target + (path ?? ''), { method, headers }, answer => {
      if (lost !== undefined) {
        answer.resume().once('end', lost)
        return
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.once('error', () => request.socket.destroy())
    passed.end(body)
  }

  stage.onStrike(stop)
  return {
    url,
    payments,
    lose: what =>
      new Promise(resolve => {
        loss = { what, lost: resolve }
      }),
  }
}
