import { fromAtomic } from '../../format/amount.ts'

/** Four gridlines above zero, and the highest value that they reach. */
export interface Scale {
  readonly top: bigint
  /** From zero up: the value and its words, all with the same decimals. */
  readonly lines: readonly { readonly value: bigint; readonly words: string }[]
}

const LINES = 4n
/** Steps that people count in, in tenths of a power of ten. */
const STEPS = [10n, 15n, 20n, 25n, 30n, 40n, 50n, 60n, 80n]

/** Chooses the gridlines for a highest value, in steps that people count in. Exact, in atomic units. */
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
