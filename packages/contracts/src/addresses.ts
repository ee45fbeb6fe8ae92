/**
 * The address of Multicall3, the same on every public EVM chain, by a pre-signed deployment
 * (https://www.multicall3.com). A local chain gets our own `sol/Multicall3.sol` there.
 */
export const MULTICALL3_ADDRESS = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * LocalUSDC's address on a local chain: that of Circle's USDC on Base Sepolia
 * (https://developers.circle.com/stablecoins/usdc-contract-addresses), so that a stock x402 client that
 * believes it is on chain 84532 finds the token it knows.
 *
 * @example
 * ```ts
 * import { LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
 *
 * console.log(LOCAL_USDC_ADDRESS) // 0x036CbD53842c5426634e7929541eC2318f3dCF7e
 * ```
 */
export const LOCAL_USDC_ADDRESS = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

/**
 * AgentRegistry's address on a local chain: one of our own, "farebox agents" as far as hex digits
 * spell it. It is the same on every local chain, nobody holds its key, and a registry on a public chain lives
 * elsewhere.
 */
export const LOCAL_AGENT_REGISTRY_ADDRESS = '0xFA4eb00000000000000000000000000000a6e475'

/**
 * The address of BatchSettler on every chain it was deployed to: its code alone decides, because the deterministic deployment
 * proxy creates it with a salt of zeros (decision 36).
 */
export const BATCH_SETTLER_ADDRESS = '0xb09b0D018a3e3b96e2749C877e68f17376970a4e'

/**
 * The address of SpendPermissions on every chain it was deployed to, local ones included: its code alone decides, as with
 * BatchSettler (decision 36).
 */
export const SPEND_PERMISSIONS_ADDRESS = '0xb1157321b5f2e932c5d30D722172E03aA21A49d7'
