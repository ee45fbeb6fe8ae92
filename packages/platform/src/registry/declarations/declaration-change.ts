import type { DeclarationChange } from '@farebox/platform-api/registry'
import type { JsonValue } from '@farebox/protocol/fields/field'

/** The severity of a change. */
export type ChangeSeverity = DeclarationChange['severity']

/** The most severe first. */
const SEVERITIES: readonly ChangeSeverity[] = ['wallet', 'breaking', 'price', 'compatible']
const MAX_QUOTED_CHARACTERS = 80

/** Sorts changes by severity, the most severe first; changes of equal severity keep their order. */
export function sortBySeverity(changes: readonly DeclarationChange[]): readonly DeclarationChange[] {
  const rank = ({ severity }: DeclarationChange): number => SEVERITIES.indexOf(severity)
  return changes.toSorted((one, other) => rank(one) - rank(other))
}

/** The highest severity among the changes. */
export function worstSeverity(changes: readonly DeclarationChange[]): ChangeSeverity {
  return SEVERITIES.find(severity => changes.some(change => change.severity === severity)) ?? 'compatible'
}

/**
 * Quotes an untrusted name or value for use in a sentence: shortened, and without characters that would change how the
 * rest is displayed.
 */
export function quoteValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'none'
  const text = JSON.stringify(value).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD')
  if (text.length <= MAX_QUOTED_CHARACTERS) return text
  return `${text.slice(0, MAX_QUOTED_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`
}
