/**
 * A connection to a chain node over plain JSON-RPC: the few calls that are needed do not justify a chain library.
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
  /**
   * Calls a method. Rejects with {@link JsonRpcError} when the node refuses the call, with another error when the node
   * cannot be reached.
   */
  call(
    method: string,
    parameters: readonly unknown[],
    options?: { readonly timeoutMs?: number },
  ): Promise<unknown>
  close(): Promise<void>
}

/** The node was reached and refused the call. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError'
  readonly code: number
  /** Revert data and similar, as the node returned it. */
  readonly details: unknown

  constructor(method: string, code: number, message: string, details: unknown) {
    super(`${method}: ${message}`)
    this.code = code
    this.details = details
  }
}
