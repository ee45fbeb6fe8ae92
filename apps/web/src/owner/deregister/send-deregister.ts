import { encodeDeregister } from '@farebox/contracts/internal/calls/registry-calls'
import type { Platform } from '@farebox/platform-api/registry'
import { shortAddress } from '../../format/address.ts'
import { WalletProblem, type Wallet } from '../../wallet/wallet.ts'
import { bringToChain } from '../../wallet/wallet-chain.ts'

/** The agent to deregister, and the wallet that sends the transaction. */
export interface Deregistering {
  readonly agentId: number
  /** The lower-case address that holds the agent's token. */
  readonly owner: string
  readonly wallet: Wallet
  readonly platform: Platform
}

/**
 * Has the owner's wallet send `deregister(agentId)`, from the owner's account on the platform's network. Resolves to the
 * transaction's hash as soon as it has been sent.
 *
 * @throws {WalletProblem}
 */
export async function sendDeregister({ agentId, owner, wallet, platform }: Deregistering): Promise<string> {
  const account = wallet.address === owner ? wallet : await wallet.accounts?.take(owner)
  if (account === undefined) {
    const message = `${wallet.name} is using ${shortAddress(wallet.address)}, but the agent belongs to ${shortAddress(owner)}. Switch to that account in your wallet.`
    throw new WalletProblem('not-allowed', message)
  }
  if (account.sendTransaction === undefined) {
    const message = `${wallet.name} cannot send transactions. Run “npx farebox deregister ${agentId}” instead.`
    throw new WalletProblem('not-allowed', message)
  }
  await bringToChain(account, platform)
  return await account.sendTransaction({
    to: platform.registry_address,
    value: 0n,
    data: encodeDeregister(agentId),
  })
}

/** The kinds of errors after which it is unknown whether something was sent. */
const UNCLEAR: readonly WalletProblem['kind'][] = ['failed', 'asking']

/** Explains why it was not sent, or that this is not known. */
export function explainDeregister(error: unknown): string {
  if (!(error instanceof WalletProblem))
    return 'The wallet did not respond. Check it to see whether anything was sent.'
  const rest = UNCLEAR.includes(error.kind)
    ? 'Check your wallet to see whether anything was sent.'
    : 'Nothing was sent.'
  return `${error.message} ${rest}`
}
