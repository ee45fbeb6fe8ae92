import { readReceipt } from '@farebox/payments/chain/chain-receipt'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import {
  signTransaction,
  type SignedTransaction,
} from '@farebox/payments/internal/transaction/sign-transaction'
import type { Clock } from '../clock.ts'
import { DEPLOYER_PROXY, deploymentCall } from './deployment-address.ts'
import {
  countTransactions,
  isDeployed,
  type DeploymentParts,
  type PlannedDeployment,
} from './plan-deployment.ts'

/** What became of a deployment that was sent. */
export type FollowedDeployment =
  | {
      readonly outcome: 'deployed'
      readonly blockNumber: bigint
      readonly gasUsed: bigint | undefined
      readonly gasPriceWei: bigint | undefined
    }
  /** In no block in time; it may be later. */
  | { readonly outcome: 'open' }
  /** It is in a block and failed, or another transaction took its place: the contract is not there. */
  | { readonly outcome: 'failed' }

/** How long to wait, and by which clock. */
export interface WaitOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const POLL_MS = 1_000
/** Behind one URL there may be several nodes, one behind the other: what failed has to look so as often in a row. */
const FAILED_LOOKS = 5

/** Signs what was planned. Nothing is sent. */
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
 * Sends a signed deployment, as often as it takes, and waits until the contract stands at its address. The same bytes
 * can be in a block once only, and a second creation of the same contract fails.
 */
export async function followDeployment(
  parts: DeploymentParts,
  planned: PlannedDeployment,
  { hash, raw }: SignedTransaction,
  wait: WaitOptions,
): Promise<FollowedDeployment> {
  const { rpc } = parts
  const endMs = wait.clock.nowMs() + wait.timeoutMs
  for (let failedLooks = 0; ;) {
    await orSilent(send(rpc, raw))
    // Asked before the receipt: a block between the two questions must not make a mined one look replaced.
    const count = await orSilent(countTransactions(rpc, planned.deployer, 'latest'))
    const receipt = await orSilent(readReceipt(rpc, hash))
    if (receipt?.succeeded === true && (await orSilent(isDeployed(parts, planned.contract))) === true) {
      const { blockNumber, gasUsed, gasPriceWei } = receipt
      return { outcome: 'deployed', blockNumber, gasUsed, gasPriceWei }
    }
    const isOver = receipt?.succeeded === false || (count !== undefined && count > planned.nonce)
    failedLooks = isOver && receipt?.succeeded !== true ? failedLooks + 1 : 0
    if (failedLooks === FAILED_LOOKS) return { outcome: 'failed' }
    if (wait.clock.nowMs() >= endMs || wait.signal.aborted) return { outcome: 'open' }
    await wait.clock.sleep(POLL_MS, wait.signal)
  }
}

/**
 * Waits while the node knows transactions of the deployer that are in no block yet: one of them may be this deployment,
 * sent by a run that was interrupted.
 *
 * @returns false where they are still waiting at the end
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
    await clock.sleep(POLL_MS, signal)
  }
}

/** A node that has it already says so by an error; a node that will not have it is told by what the chain does. */
async function send(rpc: JsonRpc, raw: string): Promise<void> {
  await rpc.call('eth_sendRawTransaction', [raw]).catch((error: unknown) => {
    if (!(error instanceof JsonRpcError)) throw error
  })
}

/** A node that does not answer now may in a moment: what was signed is not given up for that. */
async function orSilent<T>(asked: Promise<T>): Promise<T | undefined> {
  return await asked.catch(() => undefined)
}
