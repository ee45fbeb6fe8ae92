import { serve } from '../../../e2e/stage/serve.ts'

/** One call on its way to a chain node. */
export interface ChainCall {
  readonly method: string
  /** The whole request. */
  readonly body: string
  /** Hands it to the node and gives its answer, JSON text. */
  pass(): Promise<string>
  /** Asks the node something else. */
  ask(method: string, parameters: readonly unknown[]): Promise<string>
  /** Puts a fault on calls that carry another text: the hash of a transaction. */
  breakFor(mark: string, fault: ChainFault): void
}

/** What the caller gets: an answer, or a connection that ends. */
export type ChainAnswer = { readonly status: number; readonly text: string } | 'reset'

/** Decides what happens to a call; undefined: it passes. */
export type ChainFault = (call: ChainCall) => Promise<ChainAnswer | undefined>

/** Stands between a facilitator and its node. */
export interface ChainProxy {
  readonly url: string
  /** From now on. Undefined: everything passes. */
  fault: ChainFault | undefined
  /** The same for calls that carry this text alone: a payer's address is in all that is asked and sent for them. */
  breakFor(mark: string, fault: ChainFault): void
  stop(): Promise<void>
}

/** Starts it on 127.0.0.1. */
export async function startChainProxy(rpcUrl: string): Promise<ChainProxy> {
  const { url, stop } = await serve((request, response, body) => {
    const text = body.toString('utf8')
    const method = /"method"\s*:\s*"(\w+)"/.exec(text)?.[1] ?? ''
    const ask: ChainCall['ask'] = (asked, parameters) =>
      pass(rpcUrl, JSON.stringify({ jsonrpc: '2.0', id: 1, method: asked, params: parameters }))
    const { breakFor } = proxy
    answer({ method, body: text, pass: () => pass(rpcUrl, text), ask, breakFor }).then(
      told => {
        if (told === 'reset') request.socket.destroy()
        else response.writeHead(told.status, { 'content-type': 'application/json' }).end(told.text)
      },
      () => request.socket.destroy(),
    )
  })
  const marked = new Map<string, ChainFault>()
  const answer = async (call: ChainCall): Promise<ChainAnswer> => {
    for (const [mark, fault] of marked) {
      const told = call.body.includes(mark) ? await fault(call) : undefined
      if (told !== undefined) return told
    }
    return (await proxy.fault?.(call)) ?? { status: 200, text: await call.pass() }
  }
  const proxy: ChainProxy = {
    url,
    fault: undefined,
    breakFor: (mark, fault) => void marked.set(mark, fault),
    stop,
  }
  return proxy
}

/** Is this call a transaction's? */
export function sends({ method }: Pick<ChainCall, 'method'>): boolean {
  return method.startsWith('eth_sendRawTransaction')
}

async function pass(rpcUrl: string, body: string): Promise<string> {
  const answer = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return await answer.text()
}
