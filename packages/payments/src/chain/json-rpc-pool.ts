import { createJsonOrigin, type JsonOriginOptions } from '../http/http-json.ts'
import { JsonRpcError, type JsonRpc } from './json-rpc.ts'
import { createRedactor, secretsInUrl, type Redactor } from '../redact.ts'

const DEFAULT_TIMEOUT_MS = 10_000

/**
 * Opens a connection pool to a node. The URL is requested unchanged, because API keys may be in its path or query. Nodes
 * often repeat the URL in error messages; here it is redacted.
 *
 * @example
 * ```ts
 * import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
 *
 * const rpc = createJsonRpc('https://sepolia.base.org')
 * console.log(Number(await rpc.call('eth_blockNumber', [], { timeoutMs: 2_000 })))
 * await rpc.close()
 * ```
 */
export function createJsonRpc(
  url: string,
  options: Pick<JsonOriginOptions, 'dates' | 'maxAnswerBytes'> = {},
): JsonRpc {
  const { origin: nodeOrigin, pathname, search } = new URL(url)
  const origin = createJsonOrigin(nodeOrigin, options)
  const hide = createRedactor(secretsInUrl(url))
  let id = 0
  return {
    async call(method, parameters, options) {
      id += 1
      const answer = await origin.send({
        method: 'POST',
        path: pathname + search,
        body: { jsonrpc: '2.0', id, method, params: parameters },
        timeoutMs: options?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      })
      return readResult(method, answer.status, answer.body, hide)
    },
    close: () => origin.close(),
  }
}

function readResult(method: string, status: number, body: unknown, hide: Redactor): unknown {
  if (typeof body === 'object' && body !== null) {
    if ('error' in body && typeof body.error === 'object' && body.error !== null) {
      const { code, message, data } = body.error as { code?: unknown; message?: unknown; data?: unknown }
      throw new JsonRpcError(method, typeof code === 'number' ? code : 0, hide(String(message)), data)
    }
    if ('result' in body) return body.result
  }
  throw new Error(`${method}: the node answered HTTP ${status} without a result`)
}
