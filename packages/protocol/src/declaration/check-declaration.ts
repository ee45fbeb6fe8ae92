import type { Declaration } from './declaration.ts'
import { DECLARATION } from './declaration-rules.ts'
import type { Problem } from './problem.ts'
import { isObject, nameOf, unbracket } from './rule.ts'

/**
 * Checks a whole declaration from outside: a config file, a served `/about` (D1, D18, D28).
 *
 * Returns it typed, or every problem found: unknown keys of an object first, then the rest in the order of its
 * rules. Addresses are checked for their form here; their checksum by the payments layer, which has the hash.
 */
export function checkDeclaration(
  value: unknown,
):
  | { readonly ok: true; readonly declaration: Declaration }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  if (!isObject(value)) {
    const fix =
      unbracket(value) ?? 'write the declaration as one object: { "service_version": "1.0", "name": … }'
    return { ok: false, problems: [{ path: [], reason: `must be a JSON object, got ${nameOf(value)}`, fix }] }
  }
  const problems = DECLARATION.check(value, [])
  if (problems.length > 0) return { ok: false, problems }
  const { $schema: _editorOnly, ...declaration } = value
  // Every property of the type was checked above; the cast is what that check earns.
  return { ok: true, declaration: declaration as unknown as Declaration }
}
