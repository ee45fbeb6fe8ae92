/** Anvil needs some time to dump a long history; it answers every other request within milliseconds. */
const TIMEOUT_MS = 60_000

/**
 * Makes one JSON-RPC call to our own anvil.
 *
 * @param rpcUrl - of a chain that `startChain` started
 * @param method - a standard method or one of anvil's own, such as `anvil_setBalance`
 * @param parameters - JSON values; quantities as 0x hex
 * @returns the `result` of the response, unchecked
 * @throws Error with anvil's message when anvil refuses the call, and when anvil cannot be reached
 */
export async function callAnvil(
  rpcUrl: string,
  method: string,
  parameters: readonly unknown[],
): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: parameters }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer: unknown = await response.json()
  if (typeof answer !== 'object' || answer === null) throw new Error(`${method}: anvil answered no object`)
  if ('error' in answer) throw new Error(`${method}: anvil refused: ${JSON.stringify(answer.error)}`)
  return 'result' in answer ? answer.result : undefined
}

/** Like `callAnvil`, for methods whose result is a string: a hash, a quantity, bytes. */
export async function callAnvilForText(
  rpcUrl: string,
  method: string,
  parameters: readonly unknown[],
): Promise<string> {
  const result = await callAnvil(rpcUrl, method, parameters)
  if (typeof result !== 'string') throw new Error(`${method}: anvil answered ${typeof result}, not a string`)
  return result
}
