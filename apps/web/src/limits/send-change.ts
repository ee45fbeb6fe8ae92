import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { encodeMulticall, encodePermitToken } from '@farebox/contracts/permission-transactions'
import type { Network } from '@farebox/payments/networks'
import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { Platform } from '@farebox/platform-api/registry'
import { shortAddress } from '../format/address.ts'
import { bringToChain, findWalletChain } from '../wallet/wallet-chain.ts'
import { readTransaction } from '../wallet/read-transaction.ts'
import { WalletProblem, type Wallet } from '../wallet/wallet.ts'
import { holdAgainstChain } from './chain/hold-against-chain.ts'
import { readChainState, type OnChainLimits } from './chain/read-chain-state.ts'
import { countPrompts, type LimitChange, type ChangeStep } from './plan-change.ts'

/** The inputs of sending a change. */
export interface LimitSending {
  readonly wallet: Wallet
  readonly platform: Platform
  /** As shown on the page. */
  readonly limits: WalletLimits
  /** Called with the current step of the change. */
  readonly report: (words: string, transaction?: string) => void
}

/** A signed approval expires after this many seconds of the chain's time. */
const PERMIT_SECONDS = 3_600
const ASK_EVERY_MS = 800
const MOST_TRIES = 220

/**
 * Signs and sends a change in its order, each transaction after the previous one is in a block. Resolves to the last block.
 *
 * @throws {WalletProblem} with the reason why it cannot continue. Transactions sent before it remain, and the page shows
 * what is missing
 */
export async function sendChange(sending: LimitSending, planned: LimitChange): Promise<number> {
  const { wallet, platform } = sending
  const network = refuseOtherThanShown(sending)
  if (wallet.sendTransaction === undefined)
    throw new WalletProblem('not-allowed', `${wallet.name} cannot send transactions.`)
  await bringToChain(wallet, platform)
  const change = holdAgainstChain(planned, await askChain(sending, planned, network))
  const prompts = countPrompts(change)
  const count = (number: number): string => (prompts < 2 ? '' : ` (${number} of ${prompts})`)
  if (change.way === 'permit' && change.change !== undefined) {
    const signed = await signApproval(sending, network, change, count(1))
    const both = { ...change.change, data: encodeMulticall([signed, change.change.data]) }
    return await sendStep(sending, both, count(2))
  }
  let block = 0
  for (const [index, step] of stepsOf(change).entries())
    block = await sendStep(sending, step, count(index + 1))
  return block
}

/** The transactions of a change without a permit, in order. */
function stepsOf({ change, approve, way }: LimitChange): readonly ChangeStep[] {
  const steps = change === undefined ? [] : [change]
  if (way === 'none') return steps
  return way === 'approve first' ? [approve, ...steps] : [...steps, approve]
}

/** Refuses any contract or token other than the ones known to this site, whatever the platform returns (PERM-05). */
function refuseOtherThanShown({ limits, platform, wallet }: LimitSending): Network {
  const network = findWalletChain(platform)
  const isKnown =
    network.asset.address === limits.token.address &&
    limits.contract === SPEND_PERMISSIONS_ADDRESS.toLowerCase() &&
    limits.address === wallet.address
  if (isKnown) return network
  throw new WalletProblem(
    'failed',
    'The platform specified a token or contract that this site does not recognize.',
  )
}

/**
 * Reads the limits from the wallet's chain. Different chains can have the same id, and a transaction to an address without
 * code does nothing, so the contract's presence is checked.
 */
async function askChain(
  { wallet, limits }: LimitSending,
  { from }: LimitChange,
  { chainId, name }: Network,
): Promise<OnChainLimits> {
  const id = await wallet.readChain?.('eth_chainId', []).catch(() => undefined)
  const state = Number(id) === chainId ? await readChainState(wallet, limits, from?.permission) : undefined
  if (state !== undefined) return state
  throw new WalletProblem(
    'other-chain',
    `The network named ${name} in ${wallet.name} does not have the SpendPermissions contract.`,
  )
}

async function signApproval(
  { wallet, limits, report }: LimitSending,
  { chainId, asset }: Network,
  { approval: value }: LimitChange,
  which: string,
): Promise<string> {
  report(wallet.kind === 'test' ? 'Signing the approval' : `Sign the approval in ${wallet.name}${which}`)
  const { address: owner, permit, block_time: blockTime } = limits
  if (permit === null || permit.name !== asset.domain.name || permit.version !== asset.domain.version)
    throw new WalletProblem('failed', 'The platform specified a token that this site does not recognize.')
  const deadline = BigInt(Math.max(Math.floor(Date.now() / 1_000), blockTime) + PERMIT_SECONDS)
  const token = asset.address
  const terms = { ...asset.domain, chainId, token, owner, value, nonce: BigInt(permit.nonce), deadline }
  return encodePermitToken({ token, owner, value, deadline, signature: await wallet.signPermit(terms) })
}

async function sendStep(
  { wallet, platform, report }: LimitSending,
  step: ChangeStep,
  which: string,
): Promise<number> {
  const { to, data, words } = step
  report(wallet.kind === 'test' ? 'Sending' : `Confirm ${words} in ${wallet.name}${which}`)
  const hash = await wallet.sendTransaction?.({ to, value: 0n, data })
  if (hash === undefined || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new WalletProblem('failed', `${wallet.name} did not return a transaction hash.`)
  report('Waiting for confirmation', hash)
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const block = await blockOf(wallet, hash)
    if (block !== undefined) return block
    const sent = { hash, from: wallet.address }
    const outcome = await readTransaction(wallet, sent, platform.chain_id).catch(() => 'unknown')
    if (outcome === 'replaced')
      throw new WalletProblem('failed', 'Another transaction from your wallet replaced this one.')
    await new Promise(resolve => setTimeout(resolve, ASK_EVERY_MS))
  }
  throw new WalletProblem('failed', `Transaction ${shortAddress(hash)} is not confirmed yet.`)
}

/** The block of a successful transaction; undefined while it is in none. */
async function blockOf(wallet: Wallet, hash: string): Promise<number | undefined> {
  const receipt = await wallet.readChain?.('eth_getTransactionReceipt', [hash]).catch(() => undefined)
  if (typeof receipt !== 'object' || receipt === null || !('blockNumber' in receipt)) return undefined
  if ('status' in receipt && Number(receipt.status) === 0)
    throw new WalletProblem('refused', 'The contract rejected the transaction. Only gas was spent.')
  return Number(receipt.blockNumber)
}

/** The kinds of errors after which it is unknown whether something was sent. */
const UNCLEAR: readonly WalletProblem['kind'][] = ['failed', 'asking']

/** Why a change was not made, in sentences. The page shows the state on the chain in any case. */
export function explainLimitChange(error: unknown): string {
  if (!(error instanceof WalletProblem))
    return 'The chain didn’t respond. This page now shows what’s recorded on-chain. Send any missing change again.'
  if (error.kind === 'refused') return error.message
  return `${error.message} ${UNCLEAR.includes(error.kind) ? 'Check your wallet to see whether anything was sent.' : 'Nothing was sent.'}`
}
