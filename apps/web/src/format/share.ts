/** A share of 0 to 1 in per cent, cut and never rounded: 100% only where nothing failed. */
export function formatShare(share: number, decimals: 1 | 2 = 2): string {
  if (share >= 1) return '100%'
  const unit = 10 ** decimals
  // The nearest hundred-thousandth first, so that 0.57 is not cut to 56.99 by its binary neighbour.
  const cut = Math.floor(Number((share * 100 * unit).toFixed(5))) / unit
  return `${cut.toFixed(decimals)}%`
}

/** A whole number with its thousands grouped. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
}
