import type { DeclarationChange } from '@farebox/platform-api/registry'
import type { JsonValue } from '@farebox/protocol/fields/field'

/** How grave a change is. */
export type ChangeSeverity = DeclarationChange['severity']

/** The gravest first. */
const SEVERITIES: readonly ChangeSeverity[] = ['wallet', 'breaking', 'price', 'compatible']
const MAX_QUOTED_CHARACTERS = 80

/** The gravest first; what is equally grave stays in order. */
export function sortByGravity(changes: readonly DeclarationChange[]): readonly DeclarationChange[] {
  const rank = ({ severity }: DeclarationChange): number => SEVERITIES.indexOf(severity)
  return changes.toSorted((one, other) => rank(one) - rank(other))
}

/** How grave the changes are together: as the gravest of them. */
export function gravest(changes: readonly DeclarationChange[]): ChangeSeverity {
  return SEVERITIES.find(severity => changes.some(change => change.severity === severity)) ?? 'compatible'
}

/** An untrusted name or value within a sentence of ours: quoted, without what would change how the rest is read. */
export function quoteValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'none'
  const text = JSON.stringify(value).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD')
  if (text.length <= MAX_QUOTED_CHARACTERS) return text
  return `${text.slice(0, MAX_QUOTED_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`
}
