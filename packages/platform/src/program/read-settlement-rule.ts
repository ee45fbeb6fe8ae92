import { EnvironmentError, readCount, shown, type ReadVariable } from '@farebox/server/internal/environment'
import { DEFAULT_SETTLEMENT_RULE, type SettlementRule } from '../settlement-rule.ts'

const PER_STAKE = 'PLATFORM_SETTLEMENTS_PER_STAKE'

/** The rule for the number of settlements that owners are granted; undefined when the operator has turned it off. */
export function readSettlementRule(read: ReadVariable): SettlementRule | undefined {
  const atLeast = readCount('PLATFORM_SETTLEMENTS_AT_LEAST', read) ?? DEFAULT_SETTLEMENT_RULE.atLeast
  const atMost = readCount('PLATFORM_SETTLEMENTS_AT_MOST', read) ?? DEFAULT_SETTLEMENT_RULE.atMost
  if (atLeast > atMost) {
    throw new EnvironmentError(
      `PLATFORM_SETTLEMENTS_AT_LEAST must be at most PLATFORM_SETTLEMENTS_AT_MOST, got ${atLeast} and ${atMost}`,
    )
  }
  const perStake = readPerStake(read(PER_STAKE))
  return perStake === 'off' ? undefined : { perStake, atLeast, atMost }
}

function readPerStake(value: string | undefined): SettlementRule['perStake'] | 'off' {
  if (value === undefined) return DEFAULT_SETTLEMENT_RULE.perStake
  if (value === 'off') return value
  const numbers = value.split(',').map(one => one.trim())
  const [none, verified, bronze, silver, gold] = numbers.map(Number)
  if (
    numbers.length !== 5 ||
    !numbers.every(one => /^\d{1,9}$/.test(one)) ||
    none === undefined ||
    verified === undefined ||
    bronze === undefined ||
    silver === undefined ||
    gold === undefined ||
    !(none <= verified && verified <= bronze && bronze <= silver && silver <= gold)
  ) {
    throw new EnvironmentError(
      `${PER_STAKE} must be off, or five whole numbers of which none is less than the one before, like 1000,2000,10000,100000,1000000, got ${shown(value)}`,
    )
  }
  return { none, verified, bronze, silver, gold }
}
