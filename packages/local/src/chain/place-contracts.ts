import { LOCAL_USDC_ADDRESS, MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcDeployedBytecode } from '@farebox/contracts/local-usdc'
import { multicall3DeployedBytecode } from '@farebox/contracts/multicall3'
import { callAnvil, callAnvilForText } from './anvil-rpc.ts'

/**
 * Puts LocalUSDC and Multicall3 at their well-known addresses, where they are not there yet in this version.
 * Balances and used authorizations of a chain that is already in use stay as they are.
 */
export async function placeContracts(rpcUrl: string): Promise<void> {
  await placeCode(rpcUrl, LOCAL_USDC_ADDRESS, localUsdcDeployedBytecode)
  await placeCode(rpcUrl, MULTICALL3_ADDRESS, multicall3DeployedBytecode)
}

async function placeCode(rpcUrl: string, address: string, code: string): Promise<void> {
  if ((await callAnvilForText(rpcUrl, 'eth_getCode', [address, 'latest'])) === code) return
  await callAnvil(rpcUrl, 'anvil_setCode', [address, code])
}
