import { checksumAddress } from '@farebox/payments/crypto/address'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import { deploymentAddress, deploymentCall, DEPLOYER_PROXY } from './deployment-address.ts'
import { findCreation } from './find-creation.ts'
import { followDeployment, signDeployment, waitForEarlier, type WaitOptions } from './follow-deployment.ts'
import {
  DeploymentRefused,
  isDeployed,
  planDeployment,
  type DeployableContract,
  type DeploymentParts,
  type PlannedDeployment,
} from './plan-deployment.ts'

/** A deployment's parameters, and its output. */
export interface DeploymentRun extends DeploymentParts {
  readonly contract: DeployableContract
  /** 32 bytes of `0x` hex; undefined: nothing is sent, and only the current state is shown. */
  readonly deployerKey: string | undefined
  readonly isDryRun: boolean
  readonly wait: WaitOptions
  /** Writes a line. */
  tell(line: string): void
  /** Called once, after the cost was shown and before anything is signed. */
  confirm(question: string): Promise<boolean>
}

/** The sender for the estimate when the deployer is unknown: the cost is the same for all. */
const NOBODY = `0x${'00'.repeat(20)}`

/** The result of a deployment. */
export type DeploymentResult =
  | {
      readonly state: 'deployed'
      readonly address: string
      /** False when it had been deployed before. */
      readonly isNew: boolean
      readonly transaction: string | undefined
      readonly blockNumber: bigint | undefined
    }
  | { readonly state: 'planned'; readonly address: string; readonly gasWei: bigint }
  /** Sent, but not mined yet. */
  | { readonly state: 'open'; readonly address: string; readonly transaction: string | undefined }

/**
 * Deploys a contract at the address that its code determines: shows the cost, asks for confirmation, signs, sends, and
 * follows the transaction. It can be interrupted and run again at any moment: an existing contract is found, a transaction
 * in flight is awaited, and nothing is created twice.
 *
 * @throws {DeploymentRefused} when it is impossible; the message says whether something was sent
 */
export async function runDeployment(run: DeploymentRun): Promise<DeploymentResult> {
  const { contract, network, crypto, tell } = run
  const address = deploymentAddress(crypto, contract.creationCode)
  const shown = checksumAddress(crypto, address)
  tell(`${contract.name} on ${network.name} (${network.id})`)
  tell('')
  if (await isDeployed(run, contract)) return await foundThere(run, shown)
  if (run.deployerKey === undefined) {
    tell(row('address', `${shown}   nothing is there yet`))
    const planned = await planDeployment(run, contract, NOBODY)
    tell(gasRow(planned))
    return { state: 'planned', address: shown, gasWei: planned.gasWei }
  }
  const deployer = crypto.addressOf(fromHex(run.deployerKey))
  if (!run.isDryRun && !(await waitForEarlier(run, deployer, run.wait))) {
    tell(row('deployer', `${deployer} has transactions that are in no block yet`))
    return { state: 'open', address: shown, transaction: undefined }
  }
  // The awaited transaction may have been this deployment.
  if (await isDeployed(run, contract)) return await foundThere(run, shown)
  const planned = await planDeployment(run, contract, deployer)
  tellPlan(run, planned, shown)
  if (planned.balanceWei < planned.gasWei) throw tooPoor(run, planned)
  if (run.isDryRun) return { state: 'planned', address: shown, gasWei: planned.gasWei }
  tell('')
  if (!(await run.confirm(`Deploy ${contract.name} for up to ${formatEther(planned.gasWei)} ETH?`))) {
    throw new DeploymentRefused('not deployed', 'nothing was sent')
  }
  return await deploy(run, planned, run.deployerKey, shown)
}

async function deploy(
  run: DeploymentRun,
  planned: PlannedDeployment,
  deployerKey: string,
  address: string,
): Promise<DeploymentResult> {
  const signed = signDeployment(run, planned, deployerKey)
  run.tell(row('sent', signed.hash))
  const followed = await followDeployment(run, planned, signed, run.wait)
  if (followed.outcome === 'open') return { state: 'open', address, transaction: signed.hash }
  if (followed.outcome === 'failed') {
    if (await isDeployed(run, run.contract)) return await foundThere(run, address)
    throw new DeploymentRefused(
      `the transaction ${signed.hash} failed, or another one of ${planned.deployer} took its place`,
      'the contract is not there; run the same command again, with no other program sending from this account',
    )
  }
  const { blockNumber, gasUsed, gasPriceWei } = followed
  const paid =
    gasUsed === undefined || gasPriceWei === undefined
      ? ''
      : `, ${gasUsed} gas, ${formatEther(gasUsed * gasPriceWei)} ETH`
  run.tell(row('in block', `${blockNumber}${paid}`))
  return { state: 'deployed', address, isNew: true, transaction: signed.hash, blockNumber }
}

async function foundThere(
  { rpc, contract, tell }: DeploymentRun,
  address: string,
): Promise<DeploymentResult> {
  tell(row('address', `${address}   it is there already, with exactly this code`))
  const created = await findCreation(rpc, address.toLowerCase(), deploymentCall(contract.creationCode))
  const transaction = created?.transactionHash
  return { state: 'deployed', address, isNew: false, transaction, blockNumber: created?.blockNumber }
}

function tellPlan({ tell }: DeploymentRun, planned: PlannedDeployment, address: string): void {
  const { deployer, balanceWei, nonce } = planned
  tell(row('address', `${address}   by its code, through ${DEPLOYER_PROXY.address}`))
  tell(row('deployer', `${deployer}   holds ${formatEther(balanceWei)} ETH, nonce ${nonce}`))
  tell(gasRow(planned))
}

function gasRow({ gasLimit, fees, gasWei }: PlannedDeployment): string {
  const price = formatUnits(fees.maxFeePerGas, 9)
  return row('gas', `${gasLimit} at up to ${price} gwei: up to ${formatEther(gasWei)} ETH`)
}

function tooPoor({ network }: DeploymentRun, planned: PlannedDeployment): DeploymentRefused {
  return new DeploymentRefused(
    `${planned.deployer} holds ${formatEther(planned.balanceWei)} ETH on ${network.name}; this takes up to ` +
      `${formatEther(planned.gasWei)} ETH`,
    'nothing was sent; send it ETH and run the same command again',
  )
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(10)} ${text}`
}

/** A decimal without trailing zeros. */
function formatEther(wei: bigint): string {
  return formatUnits(wei, 18)
}

function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const [whole, fraction] = [digits.slice(0, -decimals), digits.slice(-decimals).replace(/0+$/, '')]
  return fraction === '' ? whole : `${whole}.${fraction}`
}
