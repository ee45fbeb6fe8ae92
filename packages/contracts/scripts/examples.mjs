// The usage of each ABI, as editors show it.

/** The examples in the documentation of the ABIs, by name of the contract. `npm run check` compiles them. */
export const EXAMPLES = {
  AgentRegistry: `
import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http('https://sepolia.base.org') })
const registry = { address: '0xFA4eb00000000000000000000000000000a6e475', abi: agentRegistryAbi } as const
console.log(await client.readContract({ ...registry, functionName: 'endpointOf', args: [1n] }))
`,
  BatchSettler: `
import { BATCH_SETTLER_ADDRESS } from '@farebox/contracts/addresses'
import { batchSettlerDeployedBytecode } from '@farebox/contracts/batch-settler'
import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http('https://sepolia.base.org') })
const code = await client.getCode({ address: BATCH_SETTLER_ADDRESS })
console.log(code === batchSettlerDeployedBytecode ? 'deployed' : 'not deployed')
`,
  LocalUSDC: `
import { LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http('http://127.0.0.1:8545') })
const token = { address: LOCAL_USDC_ADDRESS, abi: localUsdcAbi } as const
const payer = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
console.log(await client.readContract({ ...token, functionName: 'balanceOf', args: [payer] }))
`,
  Multicall3: `
import { MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http('http://127.0.0.1:8545') })
const multicall = { address: MULTICALL3_ADDRESS, abi: multicall3Abi } as const
console.log(await client.readContract({ ...multicall, functionName: 'getBlockNumber' }))
`,
  SpendPermissions: `
import { LOCAL_USDC_ADDRESS, SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import { createPublicClient, http } from 'viem'

const client = createPublicClient({ transport: http('https://sepolia.base.org') })
const permissions = { address: SPEND_PERMISSIONS_ADDRESS, abi: spendPermissionsAbi } as const
const [owner, spender] = ['0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'] as const
const scope = await client.readContract({ ...permissions, functionName: 'scopeOf', args: [7n, 'buy'] })
const of = [owner, spender, LOCAL_USDC_ADDRESS, scope] as const
console.log(await client.readContract({ ...permissions, functionName: 'available', args: of }))
`,
}
