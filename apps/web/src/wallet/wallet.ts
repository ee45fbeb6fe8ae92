import type { PermitTerms } from '@farebox/contracts/token-permit'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'

/** A wallet that pays and signs in: one of the browser, or the test wallet of a local chain. */
export interface Wallet extends PaymentSigner {
  readonly kind: 'test' | 'browser'
  /** As people know it: `Test wallet`, `MetaMask`. */
  readonly name: string
  /** Lower-case. */
  readonly address: string
  /** Signs a text (EIP-191, `personal_sign`): 65 bytes as `0x` hex. */
  signMessage(text: string): Promise<string>
  /** Signs an approval of a token (EIP-2612): 65 bytes as `0x` hex. */
  signPermit(terms: PermitTerms): Promise<string>
  /** Sends a transaction, and resolves to its hash as soon as it was sent. Undefined: it cannot. */
  readonly sendTransaction?: (transaction: WalletTransaction) => Promise<string>
  /** Puts a question that changes nothing to the chain that the wallet is on. Undefined: it cannot. */
  readonly readChain?: (method: ChainQuestion, params: readonly unknown[]) => Promise<unknown>
  /** Its other accounts. Undefined: it has none. */
  readonly accounts?: WalletAccounts
  /** Throws a {@link WalletProblem} unless the wallet is on this chain, or was brought there. */
  useChain(chain: { readonly id: number; readonly name: string; readonly rpcUrl?: string }): Promise<void>
}

/** The questions that a wallet's chain is asked (EIP-1474). */
export type ChainQuestion =
  | 'eth_chainId'
  | 'eth_call'
  | 'eth_getTransactionByHash'
  | 'eth_getTransactionCount'
  | 'eth_getTransactionReceipt'

/** The accounts of a wallet that has more than one. */
export interface WalletAccounts {
  /** The same wallet by an account of its own that it shows to this page. Undefined: it does not show it. */
  take(address: string): Promise<Wallet | undefined>
  /** Has the wallet ask its person which accounts to show; does nothing where a wallet cannot. */
  choose(): Promise<void>
  /** Calls back when its person changes the account; returns what ends that. */
  watch(changed: () => void): () => void
}

/** A transaction that a wallet is asked to send; what it costs beside the value is the wallet's to say. */
export interface WalletTransaction {
  readonly to: string
  readonly value: bigint
  /** `0x` hex. */
  readonly data: string
}

/** Why a wallet did not do a request, in a sentence. */
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
