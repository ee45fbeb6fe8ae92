/** Groups the digits of a decimal amount: `1204.5` becomes `1,204.5`. Exact: no rounding and no floating point. */
export function groupDigits(amount: string): string {
  const [whole = '', decimals] = amount.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}

/** The largest number of decimals among these amounts. */
export function longestDecimals(amounts: readonly string[]): number {
  return Math.max(0, ...amounts.map(amount => amount.split('.')[1]?.length ?? 0))
}

/** The zeros that pad an amount to this many decimals, so that a column aligns at the point and at its end. */
export function missingDecimals(amount: string, decimals: number): string {
  const own = amount.split('.')[1]
  if (decimals === 0) return ''
  return own === undefined ? `.${'0'.repeat(decimals)}` : '0'.repeat(Math.max(0, decimals - own.length))
}

/** Converts a decimal USDC amount to atomic units; undefined when the text is not an amount. */
export function toAtomic(amount: string): bigint | undefined {
  const match = /^(\d{1,30})(?:\.(\d{1,6}))?$/.exec(amount)
  if (match === null) return undefined
  const [, whole = '', decimals = ''] = match
  return BigInt(whole + decimals.padEnd(6, '0'))
}

/** Converts atomic units to decimal USDC: `2000n` becomes `0.002`. */
export function fromAtomic(atomic: bigint): string {
  const digits = atomic.toString().padStart(7, '0')
  const decimals = digits.slice(-6).replace(/0+$/, '')
  const whole = digits.slice(0, -6)
  return decimals === '' ? whole : `${whole}.${decimals}`
}

/** Converts atomic units to grouped decimal USDC with at least two decimals: `5000000n` becomes `5.00`. */
export function withCents(atomic: bigint | string): string {
  const amount = fromAtomic(BigInt(atomic))
  const [, decimals = ''] = amount.split('.')
  const missing = '0'.repeat(Math.max(0, 2 - decimals.length))
  return groupDigits(decimals === '' ? `${amount}.${missing}` : amount + missing)
}

/** Converts wei to decimal ETH, exactly: `1000000000000000` becomes `0.001`. */
export function formatEther(wei: string): string {
  const digits = wei.padStart(19, '0')
  const decimals = digits.slice(-18).replace(/0+$/, '')
  const whole = digits.slice(0, -18)
  return decimals === '' ? whole : `${whole}.${decimals}`
}
