import {
  signTransaction,
  type SignedTransaction,
} from '@farebox/payments/internal/transaction/sign-transaction'
import type { LocalChainQuestion } from '@farebox/platform-api/wallets'
import { answers } from '../../site/answers.ts'
import { ApiFailure, type Ask } from '../../site/ask.ts'
import { keccak } from '../keccak.ts'
import { WalletProblem, type ChainQuestion, type WalletTransaction } from '../wallet.ts'

interface Sender {
  readonly from: string
  readonly sign: (digest: Uint8Array) => Uint8Array
}

/** Access to the local chain through the platform, because the policy of the pages allows no other requests. */
export interface LocalChainAccess {
  read(this: void, method: ChainQuestion, params: readonly unknown[]): Promise<unknown>
  /** Signs a transaction and sends it; resolves to its hash. Throws a {@link WalletProblem}. */
  send(sender: Sender, transaction: WalletTransaction): Promise<string>
}

const TIP = 1n
/**
 * The gas limit is one and a half times the estimate, because the transaction may need more by the time it is in a block.
 */
const SPARE = { of: 3n, by: 2n }

/** Opens the access. Nothing is requested before it is used. */
export function openLocalChain(ask: Ask): LocalChainAccess {
  const put = async (method: LocalChainQuestion['method'], params: readonly unknown[]): Promise<unknown> => {
    const body = { method, params }
    return (await ask('/v1/local/chain', answers.localChain, { method: 'POST', body })).result
  }
  const number = async (method: LocalChainQuestion['method'], params: readonly unknown[]): Promise<bigint> =>
    BigInt(String(await put(method, params)))
  return {
    read: put,
    async send({ from, sign }, transaction) {
      const { raw, hash } = await signNow(number, { from, sign }, transaction).catch((error: unknown) => {
        throw new WalletProblem('refused', `The local chain rejected the transaction: ${messageOf(error)}`)
      })
      await put('eth_sendRawTransaction', [raw]).catch((error: unknown) => {
        // Without an answer, it is not known whether the transaction arrived.
        if (!(error instanceof ApiFailure) || error.status !== 400) throw error
        throw new WalletProblem('refused', `The local chain rejected the transaction: ${messageOf(error)}`)
      })
      return hash
    },
  }
}

async function signNow(
  number: (method: LocalChainQuestion['method'], params: readonly unknown[]) => Promise<bigint>,
  { from, sign }: Sender,
  { to, value, data }: WalletTransaction,
): Promise<SignedTransaction> {
  const call = { from, to, value: `0x${value.toString(16)}`, data }
  const [chainId, nonce, gas, price] = await Promise.all([
    number('eth_chainId', []),
    number('eth_getTransactionCount', [from, 'pending']),
    number('eth_estimateGas', [call]),
    number('eth_gasPrice', []),
  ])
  return signTransaction(keccak, sign, {
    chainId: Number(chainId),
    nonce: Number(nonce),
    gasLimit: (gas * SPARE.of) / SPARE.by,
    maxFeePerGas: 2n * price + TIP,
    maxPriorityFeePerGas: TIP,
    to,
    valueWei: value,
    callData: data,
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'it did not respond'
}
