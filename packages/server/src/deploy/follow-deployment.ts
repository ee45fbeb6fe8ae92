import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import {
  sendUntilMined,
  POLL_MS,
  type FollowLimits,
} from '@farebox/payments/internal/transaction/send-until-mined'
import { countTransactions } from '@farebox/payments/internal/transaction/read-account'
import {
  signTransaction,
  type SignedTransaction,
} from '@farebox/payments/internal/transaction/sign-transaction'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { DEPLOYER_PROXY, deploymentCall } from './deployment-address.ts'
import {
  isDeployed,
  type DeployableContract,
  type DeploymentParts,
  type PlannedDeployment,
} from './plan-deployment.ts'

/** The outcome of a deployment that was sent. */
export type FollowedDeployment =
  | {
      readonly outcome: 'deployed'
      readonly blockNumber: bigint
      readonly gasUsed: bigint | undefined
      readonly gasPriceWei: bigint | undefined
    }
  /** Not mined in time; it may be mined later. */
  | { readonly outcome: 'open' }
  /** It was mined and failed, or another transaction replaced it: the contract is not deployed. */
  | { readonly outcome: 'failed' }

/** How long to wait, and on which clock. */
export interface WaitOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** After a failed transaction, the contract is looked up this many times: another account may have deployed it. */
const FAILED_LOOKS = 5

/** Signs a planned deployment. Sends nothing. */
export function signDeployment(
  { crypto, network }: DeploymentParts,
  { contract, nonce, gasLimit, fees }: PlannedDeployment,
  privateKey: string,
): SignedTransaction {
  return signTransaction(crypto, digest => crypto.sign(digest, fromHex(privateKey)), {
    chainId: network.chainId,
    nonce,
    ...fees,
    gasLimit,
    to: DEPLOYER_PROXY.address,
    valueWei: 0n,
    callData: deploymentCall(contract.creationCode),
  })
}

/**
 * Sends a signed deployment, repeatedly if needed, and waits until the contract is at its address. The same bytes can be
 * mined only once, and a second creation of the same contract fails.
 */
export async function followDeployment(
  parts: DeploymentParts,
  { contract, deployer, nonce }: PlannedDeployment,
  signed: SignedTransaction,
  limits: FollowLimits,
): Promise<FollowedDeployment> {
  const endMs = limits.clock.nowMs() + limits.timeoutMs
  const followed = await sendUntilMined(parts.rpc, { ...signed, from: deployer, nonce }, limits)
  if (followed.outcome === 'open') return followed
  if (followed.outcome === 'dead') return { outcome: 'failed' }
  const { succeeded, blockNumber, gasUsed, gasPriceWei } = followed.receipt
  // One URL may lead to several nodes: the one that answers may be a few blocks behind.
  const looks = succeeded ? Number.POSITIVE_INFINITY : FAILED_LOOKS
  const isThere = await waitForContract(parts, contract, { limits, endMs, looks })
  if (!succeeded) return { outcome: 'failed' }
  return isThere ? { outcome: 'deployed', blockNumber, gasUsed, gasPriceWei } : { outcome: 'open' }
}

async function waitForContract(
  parts: DeploymentParts,
  contract: DeployableContract,
  { limits, endMs, looks }: { readonly limits: FollowLimits; readonly endMs: number; readonly looks: number },
): Promise<boolean> {
  const { clock, signal } = limits
  for (let look = 1; ; look += 1) {
    // A node that does not answer now may answer later.
    if (await isDeployed(parts, contract).catch(() => false)) return true
    if (look >= looks || clock.nowMs() >= endMs || signal.aborted) return false
    await sleep(clock, POLL_MS, signal)
  }
}

/**
 * Waits while the node knows transactions of the deployer that are not mined yet: one of them may be this deployment, sent
 * by an interrupted run.
 *
 * @returns false when they are still waiting at the end
 */
export async function waitForEarlier(
  { rpc }: Pick<DeploymentParts, 'rpc'>,
  deployer: string,
  { clock, timeoutMs, signal }: WaitOptions,
): Promise<boolean> {
  const endMs = clock.nowMs() + timeoutMs
  for (;;) {
    const [mined, known] = await Promise.all([
      countTransactions(rpc, deployer, 'latest'),
      countTransactions(rpc, deployer, 'pending'),
    ])
    if (known <= mined) return true
    if (clock.nowMs() >= endMs || signal.aborted) return false
    await sleep(clock, POLL_MS, signal)
  }
}
