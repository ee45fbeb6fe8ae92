import type { Network } from '@farebox/payments/networks'

/** Chains whose own coin is not ether. */
const COINS: { readonly [chainId: number]: string } = { 137: 'POL', 43_114: 'AVAX' }

const WEI_DIGITS = 18

export function coinOf({ chainId }: Network): string {
  return COINS[chainId] ?? 'ETH'
}

/** An amount of it in wei as a decimal without trailing zeros: `1_500_000_000_000_000_000n` → `"1.5"`. */
export function formatCoin(wei: bigint): string {
  const digits = wei.toString().padStart(WEI_DIGITS + 1, '0')
  const fraction = digits.slice(-WEI_DIGITS).replace(/0+$/, '')
  const whole = digits.slice(0, -WEI_DIGITS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
