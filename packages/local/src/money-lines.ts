import { formatUsdc } from '@farebox/protocol/money/usdc'

/** How wide the middle of a line is, so that the ends are aligned. */
const MIDDLE_CHARACTERS = 46

/**
 * One line of a money trace, the way a paid job is told everywhere: `402  asked  0.002000 USDC  …`.
 *
 * @param status - the HTTP status that was answered, empty where the step has none
 * @param end - a duration, mostly
 */
export function moneyLine(status: string, step: string, middle: string, end = ''): string {
  return `    ${status.padEnd(5)}${step.padEnd(11)}${middle.padEnd(MIDDLE_CHARACTERS)} ${end}`.trimEnd()
}

/** The facilitator found the payment good and holds it. */
export function verifiedLine(middle: string, tookMs: number | undefined): string {
  return moneyLine('', 'verified', middle, milliseconds(tookMs))
}

/** The handler was run. */
export function ranLine(middle: string, tookMs: number | undefined): string {
  return moneyLine('', 'ran', middle, milliseconds(tookMs))
}

/** The transfer is in a block. */
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

/** A wallet after a job: what it holds and what the job changed, in atomic units. */
export interface WalletAfter {
  /** Whose it is: `payer`. */
  readonly whose: string
  readonly balanceAtomic: bigint
  readonly changeAtomic: bigint
}

/** The balances of the wallets now. */
export function balancesLine(...wallets: readonly WalletAfter[]): string {
  // Nothing in the first columns, so that two wallets fit on 80.
  return `         ${wallets.map(describeWallet).join('    ')}`
}

/** `0x3C44…93BC`: enough of an address or a hash to know it again. */
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
