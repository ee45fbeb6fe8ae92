import { serve } from '../serve.ts'
import type { Stage } from '../stage.ts'

/** A proxy between a facilitator and its chain, which runs a hook when a transaction passes. */
export interface RpcProxy {
  readonly url: string
  /** Hooks from now on: called before a transaction is forwarded to the chain, and after. Undefined: none. */
  onSend: { readonly before?: () => void; readonly after?: () => void } | undefined
  /** Called once, before the next transaction, which is forwarded when it resolves. */
  beforeNextSend: (() => Promise<void>) | undefined
}

/** Starts the proxy; the stage stops it. */
export async function startRpcProxy(stage: Stage): Promise<RpcProxy> {
  const { url, stop } = await serve((request, response, body) => {
    pass(body.toString('utf8')).then(
      text => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
      () => request.socket.destroy(),
    )
  })

  async function pass(body: string): Promise<string> {
    const sends = body.includes('eth_sendRawTransaction')
    const { before, after } = (sends ? proxy.onSend : undefined) ?? {}
    if (sends && proxy.beforeNextSend !== undefined) {
      const act = proxy.beforeNextSend
      proxy.beforeNextSend = undefined
      await act()
    }
    if (before !== undefined) return leave(before)
    const answer = await fetch(stage.chain.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await answer.text()
    return after === undefined ? text : leave(after)
  }

  stage.onStrike(stop)
  const proxy: RpcProxy = { url, onSend: undefined, beforeNextSend: undefined }
  return proxy
}

/** Runs the hook, and does not answer: the caller has disconnected. */
function leave(happen: () => void): never {
  happen()
  throw new Error('the caller is gone')
}
