import { createJsonOrigin } from './http-json.ts'

/** A chain node, spoken to in plain JSON-RPC: a few calls do not need a chain library. */
export interface JsonRpc {
  /** Calls a method. Rejects with {@link JsonRpcError} when the node refuses, else when it cannot be reached. */
  call(method: string, parameters: readonly unknown[], options?: { readonly timeoutMs?: number }): Promise<unknown>
  close(): Promise<void>
}

/** The node's own refusal of a call: it was reached and it answered. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number
  /** Revert data and the like, as the node gave it. */
  readonly details: unknown

  constructor(method: string, code: number, message: string, details: unknown) {
    super(`${method}: ${message}`)
    this.code = code
    this.details = details
  }
}

const DEFAULT_TIMEOUT_MS = 10_000

/** Opens a connection pool to a node. Its URL is called as it stands: keys live in paths and in queries. */
export function createJsonRpc(url: string): JsonRpc {
  const { origin: nodeOrigin, pathname, search } = new URL(url)
  const origin = createJsonOrigin(nodeOrigin)
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
      return readResult(method, answer.status, answer.body)
    },
    close: () => origin.close(),
  }
}

function readResult(method: string, status: number, body: unknown): unknown {
  if (typeof body === 'object' && body !== null) {
    if ('error' in body && typeof body.error === 'object' && body.error !== null) {
      const { code, message, data } = body.error as { code?: unknown; message?: unknown; data?: unknown }
      throw new JsonRpcError(method, typeof code === 'number' ? code : 0, String(message), data)
    }
    if ('result' in body) return body.result
  }
  throw new Error(`${method}: the node answered HTTP ${status} without a result`)
}
