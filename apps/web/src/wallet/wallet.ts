import type { PermitTerms } from '@farebox/contracts/token-permit'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'

/** A wallet that pays and signs in: a browser wallet, or the test wallet of a local chain. */
export interface Wallet extends PaymentSigner {
  readonly kind: 'test' | 'browser'
  /** The name for display: `Test wallet`, `MetaMask`. */
  readonly name: string
  /** The address in lower case. */
  readonly address: string
  /** Signs a text (EIP-191, `personal_sign`): 65 bytes as `0x` hex. */
  signMessage(text: string): Promise<string>
  /** Signs an approval of a token (EIP-2612): 65 bytes as `0x` hex. */
  signPermit(terms: PermitTerms): Promise<string>
  /** Sends a transaction, and resolves to its hash as soon as it has been sent. Undefined when the wallet cannot send. */
  readonly sendTransaction?: (transaction: WalletTransaction) => Promise<string>
  /** Sends a read-only request to the wallet's current chain. Undefined when the wallet cannot. */
  readonly readChain?: (method: ChainQuestion, params: readonly unknown[]) => Promise<unknown>
  /** Access to its other accounts. Undefined when it has none. */
  readonly accounts?: WalletAccounts
  /** Switches to this chain if necessary. Throws a {@link WalletProblem} when that fails. */
  useChain(chain: { readonly id: number; readonly name: string; readonly rpcUrl?: string }): Promise<void>
}

/** The read-only methods that a wallet's chain is asked (EIP-1474). */
export type ChainQuestion =
  | 'eth_chainId'
  | 'eth_call'
  | 'eth_getTransactionByHash'
  | 'eth_getTransactionCount'
  | 'eth_getTransactionReceipt'

/** The accounts of a wallet that has several. */
export interface WalletAccounts {
  /** The wallet with another of its accounts. Undefined when the wallet does not expose that account to this page. */
  take(address: string): Promise<Wallet | undefined>
  /** Has the wallet ask its owner which accounts to expose; does nothing if the wallet cannot. */
  choose(): Promise<void>
  /** Calls back when the owner changes the account; returns a function that stops it. */
  watch(changed: () => void): () => void
}

/** A transaction that a wallet is asked to send. The wallet determines the gas. */
export interface WalletTransaction {
  readonly to: string
  readonly value: bigint
  /** `0x` hex. */
  readonly data: string
}

/** Why a wallet did not carry out a request, in one sentence. */
export class WalletProblem extends Error {
  readonly kind:
    | 'declined'
    | 'refused'
    | 'none'
    | 'other-chain'
    | 'asking'
    | 'not-allowed'
    | 'too-little'
    | 'failed'

  constructor(kind: WalletProblem['kind'], message: string) {
    super(message)
    this.name = 'WalletProblem'
    this.kind = kind
  }
}
