import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { Network } from '@farebox/payments/networks'
import { chooseFees, type GasFees } from '@farebox/payments/internal/transaction/choose-fees'
import { estimateGas } from '@farebox/payments/internal/transaction/estimate-gas'
import { countTransactions, readCoinBalance } from '@farebox/payments/internal/transaction/read-account'
import { DEPLOYER_PROXY, deploymentAddress, deploymentCall } from './deployment-address.ts'

/** A contract that can be deployed. */
export interface DeployableContract {
  readonly name: string
  /** `0x` hex, with the constructor's arguments at its end. */
  readonly creationCode: string
  /** `0x` hex: the code at its address after the deployment. */
  readonly runtimeCode: string
}

/** The dependencies of a deployment. */
export interface DeploymentParts {
  readonly rpc: JsonRpc
  readonly network: Network
  readonly crypto: Pick<EvmCrypto, 'keccak256' | 'sign' | 'addressOf'>
}

/** The transaction that would be sent, and its maximum cost. */
export interface PlannedDeployment {
  readonly contract: DeployableContract
  /** The address of the contract, lower case. */
  readonly address: string
  /** The sender's address, lower case. */
  readonly deployer: string
  readonly balanceWei: bigint
  readonly nonce: number
  readonly gasLimit: bigint
  readonly fees: GasFees
  /** The maximum cost of the gas in wei; a rollup adds a small data fee. */
  readonly gasWei: bigint
}

/** Why a contract cannot be deployed; nothing was sent. */
export class DeploymentRefused extends Error {
  override readonly name = 'DeploymentRefused'
  /** The advice to the operator. */
  readonly next: string

  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options)
    this.next = next
  }
}

/**
 * Is the contract at its address?
 *
 * @throws {DeploymentRefused} when another contract is there, or the node is on another chain
 */
export async function isDeployed(
  { rpc, network, crypto }: DeploymentParts,
  contract: DeployableContract,
): Promise<boolean> {
  const chainId = Number(await rpc.call('eth_chainId', []))
  if (chainId !== network.chainId) {
    throw new DeploymentRefused(
      `the node is on chain ${chainId}, not on ${network.name} (${network.id})`,
      'set EVM_RPC_URL to a node of that chain, or name the other network; nothing was sent',
    )
  }
  const address = deploymentAddress(crypto, contract.creationCode)
  const code = await readCode(rpc, address)
  if (code === '0x') return false
  if (code === contract.runtimeCode.toLowerCase()) return true
  throw new DeploymentRefused(
    `${address} holds other code than ${contract.name}`,
    'nothing was sent; is the node healthy? try another one',
  )
}

/**
 * Determines the transaction and the cost of a deployment, by the node's estimate. Sends nothing.
 *
 * @param deployer - lower-case address of the sender
 * @throws {DeploymentRefused} when the chain has no deployer proxy, the deployer has too little ETH, or the node refuses
 */
export async function planDeployment(
  parts: DeploymentParts,
  contract: DeployableContract,
  deployer: string,
): Promise<PlannedDeployment> {
  const { rpc, network, crypto } = parts
  if ((await readCode(rpc, DEPLOYER_PROXY.address)) !== DEPLOYER_PROXY.runtimeCode) {
    throw new DeploymentRefused(
      `${network.name} has no deterministic deployment proxy at ${DEPLOYER_PROXY.address}`,
      'it is put there by a transaction that anybody may send: github.com/Arachnid/deterministic-deployment-proxy',
    )
  }
  const [fees, nonce, balanceWei] = await Promise.all([
    chooseFees(rpc),
    countTransactions(rpc, deployer, 'latest'),
    readCoinBalance(rpc, deployer),
  ])
  const gasLimit = await estimate(rpc, contract, deployer)
  const gasWei = gasLimit * fees.maxFeePerGas
  const address = deploymentAddress(crypto, contract.creationCode)
  return { contract, address, deployer, balanceWei, nonce, gasLimit, fees, gasWei }
}

async function estimate(
  rpc: JsonRpc,
  { name, creationCode }: DeployableContract,
  from: string,
): Promise<bigint> {
  const callData = deploymentCall(creationCode)
  try {
    return await estimateGas(rpc, { from, to: DEPLOYER_PROXY.address, valueWei: 0n, callData })
  } catch (cause) {
    if (!(cause instanceof JsonRpcError)) throw cause
    throw new DeploymentRefused(`the node would not run it: ${cause.message}`, `${name} was not sent`, {
      cause,
    })
  }
}

async function readCode(rpc: JsonRpc, address: string): Promise<string> {
  return String(await rpc.call('eth_getCode', [address, 'latest'])).toLowerCase()
}
