import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy between a command and the chain's node, which a test can make fail. */
export interface CountingNode {
  readonly url: string
  /** The number of requests for each method. */
  readonly counts: Map<string, number>
  /** `before`: cuts the connection instead of calling the chain; `after`: calls it, and drops the answer. */
  cut: (method: string) => 'before' | 'after' | undefined
  /** Answers instead of the chain: `{ result }` or `{ error }`; undefined: the chain answers. */
  lie: (method: string, parameters: readonly unknown[]) => object | undefined
  close(): Promise<void>
}

/** Starts it in front of the node of a chain. */
export async function serveCountingNode(rpcUrl: string): Promise<CountingNode> {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const {
        method,
        params = [],
        id,
      } = JSON.parse(body) as {
        method: string
        params?: readonly unknown[]
        id: unknown
      }
      counts.set(method, (counts.get(method) ?? 0) + 1)
      const cut = node.cut(method)
      if (cut === 'before') return response.destroy()
      const lie = node.lie(method, params)
      if (lie !== undefined) return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...lie }))
      fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then(answer => answer.text())
        .then(text => (cut === 'after' ? response.destroy() : response.end(text)))
        .catch(() => response.destroy())
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const node: CountingNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    cut: () => undefined,
    lie: () => undefined,
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return node
}
