import { fromAtomic } from '../../format/amount.ts'

/** Four gridlines above zero, and the value of the highest one. */
export interface Scale {
  readonly top: bigint
  /** The gridlines from zero up, each with its value and its label; all labels have the same number of decimals. */
  readonly lines: readonly { readonly value: bigint; readonly words: string }[]
}

const LINES = 4n
/** Round step sizes, in tenths of a power of ten. */
const STEPS = [10n, 15n, 20n, 25n, 30n, 40n, 50n, 60n, 80n]

/** Chooses gridlines with round steps for a highest value. Exact, in atomic units. */
export function chooseScale(highest: bigint): Scale {
  const step = chooseStep(highest)
  const values = Array.from({ length: Number(LINES) + 1 }, (_, index) => step * BigInt(index))
  const decimals = Math.max(...values.map(value => fromAtomic(value).split('.')[1]?.length ?? 0))
  const lines = values.map(value => ({ value, words: value === 0n ? '0' : pad(fromAtomic(value), decimals) }))
  return { top: step * LINES, lines }
}

function chooseStep(highest: bigint): bigint {
  for (let power = 1n; ; power *= 10n) {
    for (const tenths of STEPS) {
      const step = (power * tenths) / 10n
      if (step * 10n === power * tenths && step * LINES >= highest) return step
    }
  }
}

function pad(amount: string, decimals: number): string {
  if (decimals === 0) return amount
  const [whole = '', own = ''] = amount.split('.')
  return `${whole}.${own.padEnd(decimals, '0')}`
}
