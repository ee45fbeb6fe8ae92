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

/** The result of an attempt to send a call. */
export type SendOutcome =
  /** The node has the transaction, or may have it. */
  | { readonly kind: 'sent'; readonly sent: SentTransaction }
  /** The call would be reverted, so nothing was sent; `refusal` is set when the contract gave a reason. */
  | { readonly kind: 'would revert'; readonly refusal: SpendRefusal | undefined }
  /** Another process used the nonce: try again. */
  | { readonly kind: 'nonce taken' }
  /** The node refused the transaction, and would refuse it again. */
  | { readonly kind: 'refused'; readonly message: string; readonly lacksGas: boolean }

/** Sends transactions of the spending account. */
export interface SpendSender {
  /** Lower-case. */
  readonly address: `0x${string}`
  /**
   * Calls SpendPermissions. Rejects when the node gives no answer before anything was sent.
   *
   * @param mayBegin called when the call's turn comes, and again before signing; throws when the call must not be made
   */
  send(callData: string, mayBegin: () => void): Promise<SendOutcome>
  /** Ends the tracking of a transaction of {@link SpendSender.send}: it is in a block, invalid or given up. */
  forget(sent: SentTransaction): void
}

/**
 * Makes the sender. Within this process the transactions get consecutive nonces; between processes with the same key
 * the node decides which was first, and the other process sends with the next nonce.
 */
export function createSpendSender(
  rpc: Pick<JsonRpc, 'call'>,
  crypto: EvmCrypto,
  { privateKey, chainId }: { readonly privateKey: string; readonly chainId: number },
): SpendSender {
  const key = fromHex(privateKey)
  const address = crypto.addressOf(key) as `0x${string}`
  // The nonces of transactions in progress: a node that is slightly behind does not count them yet.
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
    // A node that does not answer may have the transaction; it is sent again while it is followed.
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

/**
 * Reads the revert of a call. Nodes report it by data, by code 3 or by the word "revert"; other errors are not about
 * the call, and are thrown.
 */
function readRevert(error: JsonRpcError): SendOutcome {
  const { code, details, message } = error
  const data = revertData(details)
  const isRevert = data !== undefined || code === 3 || /revert/i.test(message)
  if (!isRevert) throw error
  return { kind: 'would revert', refusal: data === undefined ? undefined : spendRefusal(data) }
}

/** Some nodes return the data directly, others in an object. */
function revertData(details: unknown): string | undefined {
  const data: unknown =
    typeof details === 'object' && details !== null && 'data' in details ? details.data : details
  return typeof data === 'string' && /^0x[0-9a-f]{8}/i.test(data) ? data : undefined
}
