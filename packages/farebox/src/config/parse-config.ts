import { refuseAddress } from '@farebox/payments/crypto/address'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { formatPath, type Problem } from '@farebox/protocol/problems/problem'
import { parseTree, type Node } from 'jsonc-parser'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { findDuplicateKeys } from './duplicate-keys.ts'
import { findSyntaxProblems } from './json-syntax/find-syntax-problems.ts'
import { createLocator, type TextPart } from './locate.ts'
import { createTextPlaces, type TextPlace } from './text-places.ts'

/**
 * Checks the text of an `agent.json` and reports every problem with its place. `readConfig` calls it for a file that is
 * not valid. Throws a {@link ConfigError}.
 *
 * @param file only used as the name in the problems
 * @param keccak256 to check the wallet's checksum; when it is missing, the checksum is checked at the start
 */
export function parseConfig(file: string, text: string, keccak256?: EvmCrypto['keccak256']): Declaration {
  const { json, faults, value, tree } = parse(text)
  if (tree === undefined) throw refusal(file, json, faults)
  const places = createTextPlaces(json)
  const duplicates = findDuplicateKeys(tree).map(({ again, first, path }) => ({
    ...again,
    path,
    reason: `is declared twice, first in line ${places(first.start, first.end).line}`,
    fix: 'keep one of the two',
  }))
  const checked = checkDeclaration(value)
  const problems = [...(checked.ok ? [] : checked.problems), ...checkChecksum(value, keccak256)]
  if (checked.ok && problems.length === 0 && duplicates.length === 0) return checked.declaration
  throw refusal(file, json, [...duplicates, ...placeProblems(problems, tree)])
}

/**
 * Finds warnings in a valid `agent.json`, with their places: an example that its own field would refuse, which would
 * surprise readers. Empty for a text that is not valid.
 *
 * @param file only used as the name in the warnings
 */
export function findConfigWarnings(file: string, text: string): readonly ConfigProblem[] {
  const { json, value, tree } = parse(text)
  const checked = checkDeclaration(value)
  if (tree === undefined || !checked.ok || checked.warnings.length === 0) return []
  return refusal(file, json, placeProblems(checked.warnings, tree)).problems
}

function placeProblems(problems: readonly Problem[], tree: Node): readonly PlacedProblem[] {
  const locate = createLocator(tree)
  return problems.map(problem => ({
    ...locate(problem),
    path: formatPath(problem.path),
    reason: problem.reason,
    fix: problem.fix,
  }))
}

/** A problem with the part of the text at fault. */
interface PlacedProblem extends TextPart, Pick<ConfigProblem, 'path' | 'reason' | 'fix'> {}

function refusal(file: string, text: string, problems: readonly PlacedProblem[]): ConfigError {
  const placeOf = createTextPlaces(text)
  const placed = problems
    .toSorted((one, other) => one.start - other.start)
    .map(({ start, end, ...problem }) => ({ problem, place: placeOf(start, end) }))
  return new ConfigError(
    file,
    placed.map(({ problem, place }) => configProblem(file, problem, place)),
    placed.map(({ place }) => place.excerpt),
  )
}

function configProblem(
  file: string,
  { path, reason, fix }: Pick<ConfigProblem, 'path' | 'reason' | 'fix'>,
  { line, column }: TextPlace,
): ConfigProblem {
  return { file, line, column, path, reason, fix }
}

/** Parses the text: the value and its syntax tree; only `faults` for a text that is not JSON. */
function parse(text: string): {
  readonly json: string
  readonly faults: readonly PlacedProblem[]
  readonly value?: unknown
  readonly tree?: Node | undefined
} {
  // Editors add a byte order mark, which is not part of the declaration.
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text
  const faults = findSyntaxProblems(json)
  return faults.length > 0
    ? { json, faults }
    : { json, faults, value: JSON.parse(json), tree: parseTree(json) }
}

/** Checks the checksum of a wallet whose form is valid (EIP-55, D30). */
function checkChecksum(value: unknown, keccak256: EvmCrypto['keccak256'] | undefined): readonly Problem[] {
  const wallet = typeof value === 'object' && value !== null && 'wallet' in value ? value.wallet : undefined
  if (keccak256 === undefined || typeof wallet !== 'string' || !/^0x[0-9a-f]{40}$/i.test(wallet)) return []
  const reason = refuseAddress({ keccak256 }, wallet)
  if (reason === undefined || !reason.includes('checksum')) return []
  return [{ path: ['wallet'], reason, fix: 'copy the address again from where it came' }]
}
