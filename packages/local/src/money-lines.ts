import { formatUsdc } from '@farebox/protocol/money/usdc'

/** The width of the middle column, so that the ends of the lines are aligned. */
const MIDDLE_CHARACTERS = 46

/**
 * Formats one line of a money trace, in the form in which every program shows a paid job: `402  asked  0.002000 USDC  …`.
 *
 * @param status - the HTTP status of the response, empty when the step has none
 * @param end - the last column, usually a duration
 */
export function moneyLine(status: string, step: string, middle: string, end = ''): string {
  return `    ${status.padEnd(5)}${step.padEnd(11)}${middle.padEnd(MIDDLE_CHARACTERS)} ${end}`.trimEnd()
}

/** The line for a payment that the facilitator verified and holds. */
export function verifiedLine(middle: string, tookMs: number | undefined): string {
  return moneyLine('', 'verified', middle, milliseconds(tookMs))
}

/** The line for a handler that ran. */
export function ranLine(middle: string, tookMs: number | undefined): string {
  return moneyLine('', 'ran', middle, milliseconds(tookMs))
}

/** The line for a transfer that is in a block. */
export function settledLine(
  transaction: string,
  blockNumber: bigint | undefined,
  tookMs: number | undefined,
): string {
  return moneyLine(
    '200',
    'settled',
    `${shortHex(transaction)} in block ${blockNumber ?? '?'}`,
    milliseconds(tookMs),
  )
}

/** A wallet after a job: its balance and the change by the job, in atomic units. */
export interface WalletAfter {
  /** The name of its owner, such as `payer`. */
  readonly whose: string
  readonly balanceAtomic: bigint
  readonly changeAtomic: bigint
}

/** The line with the current balances of the wallets. */
export function balancesLine(...wallets: readonly WalletAfter[]): string {
  // The first columns stay empty, so that two wallets fit within 80 characters.
  return `         ${wallets.map(describeWallet).join('    ')}`
}

/** Shortens an address or a hash to `0x3C44…93BC`, which is enough to recognise it. */
export function shortHex(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`
}

function describeWallet({ whose, balanceAtomic, changeAtomic }: WalletAfter): string {
  const sign = changeAtomic < 0n ? '−' : '+'
  const size = changeAtomic < 0n ? -changeAtomic : changeAtomic
  return `${whose} ${sixDecimals(balanceAtomic)} USDC (${sign}${sixDecimals(size)})`
}

function sixDecimals(atomic: bigint): string {
  return formatUsdc(atomic, { decimals: 6 })
}

function milliseconds(ms: number | undefined): string {
  return ms === undefined ? '' : `${ms} ms`.padStart(7)
}
