/** The format of figures: only significant digits, thousands separated, with the unit. */

/** `4,210/s`, below ten `4.2/s`. */
export function rate(perSecond: number): string {
  return `${number(perSecond)}/s`
}

/** `23.0 ms`, below one `230 µs` */
export function milliseconds(ms: number): string {
  return ms < 1 ? `${number(ms * 1_000)} µs` : `${number(ms)} ms`
}

/** Three digits at least. */
export function number(value: number): string {
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}
