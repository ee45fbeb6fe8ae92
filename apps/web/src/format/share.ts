/** Formats a share between 0 and 1 in percent, cut and never rounded up: 100% only when nothing failed. */
export function formatShare(share: number, decimals: 1 | 2 = 2): string {
  if (share >= 1) return '100%'
  const unit = 10 ** decimals
  // Rounded to a hundred-thousandth first, so that binary inaccuracy does not cut 0.57 to 56.99%.
  const cut = Math.floor(Number((share * 100 * unit).toFixed(5))) / unit
  return `${cut.toFixed(decimals)}%`
}

/** Formats a whole number with grouped thousands. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',')
}
