import { createServer } from 'node:http'
import type { Stage } from './stage.ts'

/** Stands between a facilitator and its chain, and does something to the world when a transaction passes. */
export interface RpcProxy {
  readonly url: string
  /** From now on: called before a transaction is handed to the chain, and after. Undefined: nothing happens. */
  onSend: { readonly before?: () => void; readonly after?: () => void } | undefined
}

/** Starts the proxy; the stage stops it. */
export async function startRpcProxy(stage: Stage): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      pass(Buffer.concat(chunks).toString('utf8')).then(
        body => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
        () => request.socket.destroy(),
      )
    })
  })

  async function pass(body: string): Promise<string> {
    const sends = body.includes('eth_sendRawTransaction')
    if (sends && proxy.onSend?.before !== undefined) {
      proxy.onSend.before()
      throw new Error('the caller is gone')
    }
    const answer = await fetch(stage.chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const text = await answer.text()
    if (sends && proxy.onSend?.after !== undefined) {
      proxy.onSend.after()
      throw new Error('the caller is gone')
    }
    return text
  }

  const port = await new Promise<number>(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  stage.onStrike(() => new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  }))
  const proxy: RpcProxy = { url: `http://127.0.0.1:${port}`, onSend: undefined }
  return proxy
}
