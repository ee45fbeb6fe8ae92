/**
 * A chain node, spoken to in plain JSON-RPC: a few calls do not need a chain library.
 *
 * @example
 * ```ts
 * import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
 *
 * export async function chainIdOf(rpc: JsonRpc): Promise<number> {
 *   try {
 *     return Number(await rpc.call('eth_chainId', []))
 *   } catch (error) {
 *     if (error instanceof JsonRpcError) console.error(`the node refused: ${error.code}`)
 *     throw error
 *   }
 * }
 * ```
 */
export interface JsonRpc {
  /** Calls a method. Rejects with {@link JsonRpcError} when the node refuses, else when it cannot be reached. */
  call(
    method: string,
    parameters: readonly unknown[],
    options?: { readonly timeoutMs?: number },
  ): Promise<unknown>
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
