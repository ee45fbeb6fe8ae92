import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The result of a call: it passes, it passes but its answer is lost, or the call itself is lost. */
export type CallOutcome = 'pass' | 'lose-answer' | 'lose'

/** A proxy between an agent and a node, which loses calls or answers as a test decides. */
export interface NodeBetween {
  readonly url: string
  decide: (method: string) => CallOutcome | Promise<CallOutcome>
  /** The called methods, in order. */
  readonly methods: readonly string[]
  close(): Promise<void>
}

/** Starts a proxy for the node at this URL. */
export async function startNodeBetween(rpcUrl: string): Promise<NodeBetween> {
  const methods: string[] = []
  const server = createServer((request, response) => {
    const serve = async (): Promise<void> => {
      const body = Buffer.concat(await request.toArray()).toString()
      const { method } = JSON.parse(body) as { readonly method: string }
      methods.push(method)
      const outcome = await node.decide(method)
      if (outcome === 'lose') return void request.socket.destroy()
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(rpcUrl, { method: 'POST', headers, body })
      const text = await answer.text()
      if (outcome === 'lose-answer') return void request.socket.destroy()
      response.writeHead(answer.status, headers).end(text)
    }
    serve().catch(() => request.socket.destroy())
  })
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const node: NodeBetween = {
    url: `http://127.0.0.1:${port}`,
    decide: () => 'pass',
    methods,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return node
}
