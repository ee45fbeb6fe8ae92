import { encodeRegister, STAKE_CALL } from '@farebox/contracts/internal/calls/registry-calls'
import type { Network } from '@farebox/payments/networks'
import type { Platform, Registration } from '@farebox/platform-api/registry'
import { shortAddress } from '../format/address.ts'
import { formatEther } from '../format/amount.ts'
import { answers } from '../site/answers.ts'
import type { Ask } from '../site/ask.ts'
import { WalletProblem, type Wallet } from '../wallet/wallet.ts'
import { bringToChain, findWalletChain } from '../wallet/wallet-chain.ts'
import { StakeProblem } from './stake-problem.ts'
import { forgetStake, keepStake, readKeptStake, type KeptStake } from './stake-store.ts'

/** The inputs of sending a stake. */
export interface Staking {
  readonly ask: Ask
  readonly platform: Platform
  /** As shown on the page. */
  readonly registration: Registration
  readonly wallet: Wallet
  /** Called with the current step of the stake. */
  readonly report: (words: string) => void
}

/** The kinds of errors after which it is certain that nothing was sent. After any other error this is not known. */
const NOT_SENT: readonly WalletProblem['kind'][] = [
  'declined',
  'refused',
  'too-little',
  'not-allowed',
  'other-chain',
]

/**
 * Has the wallet send one transaction, after checking the account, the network, the registry and the balance, and that no
 * stake has been made yet. The request is stored before the wallet is asked, and the wallet's answer afterwards.
 *
 * Resolves to the stored stake; undefined when the agent has been staked for meanwhile.
 *
 * @throws {StakeProblem} or {@link WalletProblem}: nothing was sent, unless a stake without a hash is stored; in that case
 * this is not known
 */
export async function sendStake(staking: Staking): Promise<KeptStake | undefined> {
  const { registration, platform, report } = staking
  const kept = readKeptStake(registration.registration_id)
  if (kept !== undefined) return kept
  refuseOtherThanShown(registration, platform)
  const network = findWalletChain(platform)
  const wallet = await takeAccount(staking)
  await changeNetwork(wallet, network, platform)
  report('Checking the registry')
  await checkRegistry(wallet, network, staking)
  if (await isStaked(staking)) return undefined
  await checkBalance(wallet, staking)
  report(wallet.kind === 'test' ? 'Sending' : `Confirm the stake in ${wallet.name}`)
  return await send(wallet, registration)
}

/** Refuses a transaction whose address, amount or data differs from what the ticket shows. */
function refuseOtherThanShown(registration: Registration, platform: Platform): void {
  const isAsShown =
    registration.registry_address === platform.registry_address &&
    registration.stake_wei === platform.stake_wei &&
    registration.chain_id === platform.chain_id &&
    registration.call_data.toLowerCase() === encodeRegister(registration.endpoint)
  if (isAsShown) return
  throw new StakeProblem(
    'The platform requested a different transaction from the one shown here.',
    'This page did not pass it to your wallet. Nothing was sent.',
  )
}

/** Only the wallet at which the agent is paid may stake, so that an agent cannot be registered by anyone else. */
async function takeAccount({ registration, wallet, report }: Staking): Promise<Wallet> {
  const { found } = registration
  if (wallet.sendTransaction === undefined)
    throw new StakeProblem(
      `${wallet.name} cannot send transactions.`,
      'Stake with another wallet. Nothing was sent.',
    )
  if (found.phase === 'phase-1' || wallet.address === found.wallet) return wallet
  report(`Requesting the account from ${wallet.name}`)
  const taken = await wallet.accounts?.take(found.wallet)
  if (taken !== undefined) return taken
  throw new StakeProblem(
    'Wrong account.',
    `${wallet.name} is using ${shortAddress(wallet.address)}. ` +
      `The agent’s payments go to ${shortAddress(found.wallet)}, ` +
      'and only that account can stake for it. Nothing was sent.',
    'other-account',
  )
}

async function changeNetwork(
  wallet: Wallet,
  { chainId: id, name }: Network,
  platform: Platform,
): Promise<void> {
  try {
    await bringToChain(wallet, platform)
  } catch (error) {
    if (!(error instanceof WalletProblem) || error.kind !== 'other-chain') throw error
    const where = platform.local_mode ? ' On this platform, that network must point to the local chain.' : ''
    throw new StakeProblem(
      error.message,
      `Add ${name} (chain ID ${id}) to your wallet and stake again.${where} Nothing was sent.`,
    )
  }
}

/**
 * Checks the registry on the wallet's chain: ether sent to an address without a contract is lost, and different chains can
 * have the same id.
 */
async function checkRegistry(
  wallet: Wallet,
  { name }: Network,
  { registration, platform }: Staking,
): Promise<void> {
  const call = { to: registration.registry_address, data: STAKE_CALL }
  const answer = await wallet.readChain?.('eth_call', [call, 'latest']).catch((error: unknown) => {
    // A revert means that it is another contract; any other error says nothing about the contract.
    if (error instanceof Error && /revert/i.test(error.message)) return undefined
    throw new StakeProblem('The chain is not responding.', 'Nothing was sent. Try again in a moment.')
  })
  const isThere = typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer)
  if (isThere && BigInt(answer) === BigInt(registration.stake_wei)) return
  throw new StakeProblem(
    'Registry not found.',
    `The network named ${name} in your wallet does not have the registry contract. ${
      platform.local_mode
        ? `This platform uses a local chain, so ${name} in your wallet must point to it.`
        : 'Check the RPC address of this network in your wallet’s settings.'
    } Nothing was sent.`,
  )
}

async function isStaked({ ask, registration }: Staking): Promise<boolean> {
  const now = await ask(`/v1/registrations/${registration.registration_id}`, answers.registration)
  if (now.status.state !== 'waiting_for_stake') return true
  if (walletOf(now) === walletOf(registration) && now.call_data === registration.call_data) return false
  throw new StakeProblem(
    'The agent now specifies another wallet.',
    'Reload this page and check what it shows. Nothing was sent.',
  )
}

function walletOf({ found }: Registration): string | undefined {
  return found.phase === 'agent' ? found.wallet : undefined
}

/** Compares the balance with the stake only, because the wallet estimates the gas. */
async function checkBalance({ address }: Wallet, { ask, registration }: Staking): Promise<void> {
  const balance = await ask(`/v1/wallets/${address}/balance`, answers.walletBalance).catch(() => undefined)
  if (balance === undefined || BigInt(balance.native_wei) > BigInt(registration.stake_wei)) return
  throw new StakeProblem(
    'Insufficient funds.',
    `${shortAddress(address)} has ${formatEther(balance.native_wei)} ETH; the stake is ` +
      `${formatEther(registration.stake_wei)} ETH plus gas. Nothing was sent.`,
  )
}

async function send(wallet: Wallet, registration: Registration): Promise<KeptStake> {
  const { registration_id: id, registry_address: to, stake_wei: wei, endpoint } = registration
  const asked: KeptStake = { from: wallet.address, walletName: wallet.name, askedAt: Date.now() / 1_000 }
  keepStake(id, asked)
  const hash = await wallet
    .sendTransaction?.({ to, value: BigInt(wei), data: encodeRegister(endpoint) })
    .catch((error: unknown) => {
      if (error instanceof WalletProblem && NOT_SENT.includes(error.kind)) forgetStake(id)
      throw error
    })
  if (hash === undefined || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new WalletProblem('failed', `${wallet.name} did not return a transaction hash.`)
  const sent = { ...asked, hash }
  keepStake(id, sent)
  return sent
}
