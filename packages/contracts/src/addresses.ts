/**
 * The address of Multicall3, the same on every public EVM chain because of a pre-signed deployment
 * (https://www.multicall3.com). On a local chain `sol/Multicall3.sol` is placed at this address.
 */
export const MULTICALL3_ADDRESS = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * LocalUSDC's address on a local chain: that of Circle's USDC on Base Sepolia
 * (https://developers.circle.com/stablecoins/usdc-contract-addresses), so that a stock x402 client configured for chain
 * 84532 finds the token it expects.
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
 * AgentRegistry's address on a local chain: a made-up one, "farebox agents" in hex digits as far as possible. It is the same
 * on every local chain, and no one has its key; a registry on a public chain has another address.
 */
export const LOCAL_AGENT_REGISTRY_ADDRESS = '0xFA4eb00000000000000000000000000000a6e475'

/**
 * The address of BatchSettler on every chain it was deployed to: it depends on the code only, because the deterministic
 * deployment proxy creates the contract with a salt of zeros (decision 36).
 */
export const BATCH_SETTLER_ADDRESS = '0xb09b0D018a3e3b96e2749C877e68f17376970a4e'

/**
 * The address of SpendPermissions on every chain it was deployed to, including local ones: it depends on the code only, as
 * for BatchSettler (decision 36).
 */
export const SPEND_PERMISSIONS_ADDRESS = '0xb1157321b5f2e932c5d30D722172E03aA21A49d7'
