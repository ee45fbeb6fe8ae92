import type { Declaration } from './declaration.ts'
import { DECLARATION } from './declaration-rules.ts'
import { startDeclarationCheck } from '../field-rules/declaration-check.ts'
import { MAX_DECLARATION_PROBLEMS } from '../limits.ts'
import type { Problem } from '../problems/problem.ts'
import { isObject } from '../guards/json.ts'
import { nameOf, unbracket } from '../field-rules/rule.ts'

/**
 * Checks a complete declaration from outside: a config file, or a served `/about` (D1, D18, D28).
 *
 * Returns it typed, or every problem found: the unknown keys of an object first, then the others in the order of its rules.
 * Warnings concern errors without effect on the agent: an example that its own field would refuse. The number of steps is
 * limited (D42). Addresses are checked for their form only; the payments layer, which has the hash, checks their checksum.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
 * import { formatProblem } from '@farebox/protocol/problems/problem'
 *
 * const checked = checkDeclaration(JSON.parse(await readFile('agent.json', 'utf8')))
 * if (checked.ok) console.log(Object.keys(checked.declaration.capabilities))
 * else for (const problem of checked.problems) console.error(formatProblem(problem), problem.fix)
 * ```
 */
export function checkDeclaration(
  value: unknown,
):
  | { readonly ok: true; readonly declaration: Declaration; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  if (!isObject(value)) {
    const fix =
      unbracket(value) ?? 'write the declaration as one object: { "service_version": "1.0", "name": … }'
    return { ok: false, problems: [{ path: [], reason: `must be a JSON object, got ${nameOf(value)}`, fix }] }
  }
  const whole = startDeclarationCheck()
  const problems = DECLARATION.check(value, [], whole)
  if (problems.length > 0) return { ok: false, problems: firstOf(problems) }
  const { $schema: _editorOnly, ...declaration } = value
  // Every property of the type was checked above, which justifies the cast.
  return { ok: true, declaration: declaration as unknown as Declaration, warnings: whole.warnings }
}

/** The reported problems, up to the limit; the last one says that there may be more. */
function firstOf(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length < MAX_DECLARATION_PROBLEMS) return problems
  const reason = `has at least ${MAX_DECLARATION_PROBLEMS} problems; those after the first ${MAX_DECLARATION_PROBLEMS} are not listed`
  const more = { path: [], reason, fix: 'fix those listed, then check again' }
  return [...problems.slice(0, MAX_DECLARATION_PROBLEMS), more]
}
