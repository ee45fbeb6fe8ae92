/** A decimal amount with its whole part grouped: `1204.5` is `1,204.5`. Never rounded, never through a float. */
export function groupDigits(amount: string): string {
  const [whole = '', decimals] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}

/** The number of decimals of the longest of these amounts. */
export function longestDecimals(amounts: readonly string[]): number {
  return Math.max(0, ...amounts.map(amount => amount.split('.')[1]?.length ?? 0))
}

/** The zeros that an amount lacks of so many decimals, so that a column ends on one point and at one edge. */
export function missingDecimals(amount: string, decimals: number): string {
  const own = amount.split('.')[1]
  if (decimals === 0) return ''
  return own === undefined ? `.${'0'.repeat(decimals)}` : '0'.repeat(Math.max(0, decimals - own.length))
}

/** Atomic units of USDC of a decimal amount. Undefined where the text is none. */
export function toAtomic(amount: string): bigint | undefined {
  const match = /^(\d{1,30})(?:\.(\d{1,6}))?$/.exec(amount)
  if (match === null) return undefined
  const [, whole = '', decimals = ''] = match
  return BigInt(whole + decimals.padEnd(6, '0'))
}

/** Decimal USDC of atomic units: `2000n` is `0.002`. */
export function fromAtomic(atomic: bigint): string {
  const digits = atomic.toString().padStart(7, '0')
  const decimals = digits.slice(-6).replace(/0+$/, '')
  const whole = digits.slice(0, -6)
  return decimals === '' ? whole : `${whole}.${decimals}`
}

/** Decimal USDC of atomic units with two decimals at least, grouped: `5000000n` is `5.00`. */
export function withCents(atomic: bigint | string): string {
  const amount = fromAtomic(BigInt(atomic))
  const [, decimals = ''] = amount.split('.')
  const missing = '0'.repeat(Math.max(0, 2 - decimals.length))
  return groupDigits(decimals === '' ? `${amount}.${missing}` : amount + missing)
}

/** Decimal ETH of wei, exactly: `1000000000000000` is `0.001`. */
export function formatEther(wei: string): string {
  const digits = wei.padStart(19, '0')
  const decimals = digits.slice(-18).replace(/0+$/, '')
  const whole = digits.slice(0, -18)
  return decimals === '' ? whole : `${whole}.${decimals}`
}
