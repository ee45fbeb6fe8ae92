import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { whyUnreachable } from '../agent/exchange/why-unreachable.ts'
import { STRANGER } from '../facilitator/trial/local-accounts.ts'
import { CannotRun } from './command-world.ts'

/** Returns the network of a node whose chain can be used for tests. Throws `CannotRun` when it cannot. */
export async function readChain(rpcUrl: string): Promise<Network> {
  const rpc = createJsonRpc(rpcUrl)
  try {
    const chainId = await rpc.call('eth_chainId', [])
    const network = findNetwork(`eip155:${Number(chainId)}`)
    if (network === undefined)
      throw new CannotRun(`the chain ${Number(chainId)} of ${rpcUrl} is none that payments are known on`)
    await refuseRealChain(rpc, rpcUrl, network)
    return network
  } catch (error) {
    if (error instanceof CannotRun) throw error
    throw new CannotRun(`the node ${rpcUrl} does not answer: ${whyUnreachable(error)}`, '', { cause: error })
  } finally {
    await rpc.close()
  }
}

/** The cases create money and freeze accounts, so they must not run on a chain where this affects real owners. */
async function refuseRealChain(rpc: JsonRpc, rpcUrl: string, { asset }: Network): Promise<void> {
  const accounts: unknown = await rpc.call('eth_accounts', []).catch(() => [])
  const names = Array.isArray(accounts) ? accounts.map(one => String(one).toLowerCase()) : []
  if (!names.includes(STRANGER.address.toLowerCase()))
    throw new CannotRun(
      `${rpcUrl} is no local test chain: its node signs for none of the test accounts`,
      'start one: anvil, or npm start in a clone of Farebox',
    )
  if ((await rpc.call('eth_getCode', [asset.address, 'latest'])) === '0x')
    throw new CannotRun(
      `there is no LocalUSDC at ${asset.address} on the chain of ${rpcUrl}`,
      'npm start in a clone of Farebox, or startChain of @farebox/local, puts it there',
    )
}
