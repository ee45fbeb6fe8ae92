import { isUnknownKind, kindsOfAnswer } from '../oracle/kinds-of-answer.ts'
import { allBranches } from './branches.ts'
import type { TallyCounts } from './tally.ts'

/** What a run came to of all that it should. */
export interface Coverage {
  /** Kinds of answer that are documented. */
  readonly kinds: number
  /** Branches of the generator. */
  readonly branches: number
  /** Those of either that came up less often than asked, each with how often. */
  readonly missed: readonly string[]
  /** Answers in words that are in no list: documented now, or wrong. */
  readonly unknown: readonly string[]
}

/** Compares what was seen with what is documented and what can be generated; `least`: how often each must come up. */
export function measureCoverage({ seen }: Pick<TallyCounts, 'seen'>, least: number): Coverage {
  const [kinds, branches] = [kindsOfAnswer(), allBranches()]
  const countOf = (name: string): number => seen[name] ?? 0
  return {
    kinds: kinds.length,
    branches: branches.length,
    missed: [...kinds, ...branches]
      .filter(name => countOf(name) < least)
      .map(name => `${name} (${countOf(name)} times)`),
    unknown: Object.keys(seen).filter(isUnknownKind),
  }
}
