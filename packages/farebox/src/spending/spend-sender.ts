import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { spendRefusal, type SpendRefusal } from '@farebox/contracts/permission-calls'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import { broadcast } from '@farebox/payments/internal/transaction/broadcast'
import { chooseFees } from '@farebox/payments/internal/transaction/choose-fees'
import { estimateGas } from '@farebox/payments/internal/transaction/estimate-gas'
import { countTransactions } from '@farebox/payments/internal/transaction/read-account'
import type { SentTransaction } from '@farebox/payments/internal/transaction/send-until-mined'
import { signTransaction } from '@farebox/payments/internal/transaction/sign-transaction'

/** What became of the attempt to send a call. */
export type SendOutcome =
  /** The node has it, or may have it. */
  | { readonly kind: 'sent'; readonly sent: SentTransaction }
  /** It would be reverted, so that nothing was sent; `refusal` where the contract said why. */
  | { readonly kind: 'would revert'; readonly refusal: SpendRefusal | undefined }
  /** Another process used the nonce: try again. */
  | { readonly kind: 'nonce taken' }
  /** The node did not take it, and will not the next time. */
  | { readonly kind: 'refused'; readonly message: string; readonly lacksGas: boolean }

/** Sends transactions of the one account that spends. */
export interface SpendSender {
  /** Lower-case. */
  readonly address: `0x${string}`
  /**
   * Calls SpendPermissions. Rejects where the node gave no answer before anything was sent.
   *
   * @param mayBegin asked when it is this call's turn, and again before it is signed; throws where it may not
   */
  send(callData: string, mayBegin: () => void): Promise<SendOutcome>
  /** A transaction of {@link SpendSender.send} is over: in a block, dead or given up. */
  forget(sent: SentTransaction): void
}

/**
 * Makes the sender. Transactions are numbered one after the other within this process; between processes with the same
 * key the node decides who was first, and the other sends with the next number.
 */
export function createSpendSender(
  rpc: Pick<JsonRpc, 'call'>,
  crypto: EvmCrypto,
  { privateKey, chainId }: { readonly privateKey: string; readonly chainId: number },
): SpendSender {
  const key = fromHex(privateKey)
  const address = crypto.addressOf(key) as `0x${string}`
  // Of what is under way: a node that is a moment behind does not count it yet.
  const nonces = new Set<number>()
  let turn: Promise<unknown> = Promise.resolve()

  const sendNow = async (callData: string, mayBegin: () => void): Promise<SendOutcome> => {
    mayBegin()
    const call = { from: address, to: SPEND_PERMISSIONS_ADDRESS, valueWei: 0n, callData }
    let gasLimit: bigint
    try {
      gasLimit = await estimateGas(rpc, call)
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error
      return readRevert(error)
    }
    const [fees, count] = await Promise.all([chooseFees(rpc), countTransactions(rpc, address, 'pending')])
    mayBegin()
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const nonce = Math.max(count, ...[...nonces].map(one => one + 1))
    const { to, valueWei } = call
    const signed = signTransaction(crypto, digest => crypto.sign(digest, key), {
      chainId,
      nonce,
      maxFeePerGas,
      maxPriorityFeePerGas,
      gasLimit,
      to,
      valueWei,
      callData,
    })
    const sent = { ...signed, from: address, nonce }
    // A node that does not answer may have it: it is sent again while it is followed.
    const outcome = await broadcast(rpc, signed.raw).catch(() => ({ kind: 'sent' }) as const)
    if (outcome.kind === 'sent') {
      nonces.add(nonce)
      return { kind: 'sent', sent }
    }
    const { why, message } = outcome
    if (why === 'nonce-used' || why === 'underpriced') return { kind: 'nonce taken' }
    return { kind: 'refused', message, lacksGas: why === 'no-funds' }
  }

  return {
    address,
    send(callData, mayBegin) {
      const sending = turn.then(() => sendNow(callData, mayBegin))
      turn = sending.catch(() => undefined)
      return sending
    },
    forget: ({ nonce }) => void nonces.delete(nonce),
  }
}

/** Nodes tell a revert by its data, by code 3 or by the word; what else they refuse says nothing of the call. */
function readRevert(error: JsonRpcError): SendOutcome {
  const { code, details, message } = error
  const data = revertData(details)
  const isRevert = data !== undefined || code === 3 || /revert/i.test(message)
  if (!isRevert) throw error
  return { kind: 'would revert', refusal: data === undefined ? undefined : spendRefusal(data) }
}

/** Some nodes give the data as it is, some in an object. */
function revertData(details: unknown): string | undefined {
  const data: unknown =
    typeof details === 'object' && details !== null && 'data' in details ? details.data : details
  return typeof data === 'string' && /^0x[0-9a-f]{8}/i.test(data) ? data : undefined
}
