import {
  BATCH_SETTLER_ADDRESS,
  LOCAL_AGENT_REGISTRY_ADDRESS,
  LOCAL_USDC_ADDRESS,
  MULTICALL3_ADDRESS,
  SPEND_PERMISSIONS_ADDRESS,
} from '@farebox/contracts/addresses'
import { agentRegistryDeployedBytecode } from '@farebox/contracts/agent-registry'
import { batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
import { localUsdcDeployedBytecode } from '@farebox/contracts/local-usdc'
import { multicall3DeployedBytecode } from '@farebox/contracts/multicall3'
import { spendPermissionsDeployedBytecode } from '@farebox/contracts/spend-permissions'
import { DEPLOYER_PROXY } from '@farebox/server/internal/deploy/deployment-address'
import { callAnvil, callAnvilForText } from './anvil-rpc.ts'

/**
 * Installs LocalUSDC, Multicall3, AgentRegistry, BatchSettler, SpendPermissions and the deployment proxy at their
 * well-known addresses, unless this version is already installed there. A chain that is already in use keeps its balances,
 * used authorizations, registered agents and permissions.
 */
export async function placeContracts(rpcUrl: string): Promise<void> {
  await placeCode(rpcUrl, LOCAL_USDC_ADDRESS, localUsdcDeployedBytecode)
  await placeCode(rpcUrl, MULTICALL3_ADDRESS, multicall3DeployedBytecode)
  await placeCode(rpcUrl, LOCAL_AGENT_REGISTRY_ADDRESS, agentRegistryDeployedBytecode)
  await placeCode(rpcUrl, DEPLOYER_PROXY.address, DEPLOYER_PROXY.runtimeCode)
  await placeCode(rpcUrl, BATCH_SETTLER_ADDRESS, batchSettlerDeployedBytecode)
  await placeCode(rpcUrl, SPEND_PERMISSIONS_ADDRESS, spendPermissionsDeployedBytecode)
}

async function placeCode(rpcUrl: string, address: string, code: string): Promise<void> {
  if ((await callAnvilForText(rpcUrl, 'eth_getCode', [address, 'latest'])) === code) return
  await callAnvil(rpcUrl, 'anvil_setCode', [address, code])
}
