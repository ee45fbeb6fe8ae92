import { BATCH_SETTLER_ADDRESS } from '@farebox/contracts/addresses'
import { batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Clock } from '@farebox/protocol/time/clock'

/**
 * Is BatchSettler deployed on the chain? Read at intervals until it is; then the answer is kept. Rejects when the node gives
 * no answer.
 */
export type HasSettler = () => Promise<boolean>

const ASKED_AGAIN_MS = 60_000

/** Creates the check. Only the exact code of BatchSettler counts. */
export function createHasBatchSettler(rpc: JsonRpc, clock: Clock): HasSettler {
  let seen: { readonly answer: boolean; readonly atMs: number } | undefined
  return async () => {
    if (seen !== undefined && (seen.answer || clock.nowMs() - seen.atMs < ASKED_AGAIN_MS)) return seen.answer
    const answer = (await readCode(rpc)).toLowerCase() === batchSettlerDeployedBytecode
    seen = { answer, atMs: clock.nowMs() }
    return answer
  }
}

async function readCode(rpc: JsonRpc): Promise<string> {
  try {
    return String(await rpc.call('eth_getCode', [BATCH_SETTLER_ADDRESS, 'latest']))
  } catch (error) {
    // A node that does not return code may still send transactions: batches are then sent without BatchSettler.
    if (error instanceof JsonRpcError) return ''
    throw error
  }
}
