import { checkFields } from '@farebox/protocol/field-rules/check-fields'
import type { Side } from '@farebox/protocol/fields/field'
import { startDeclarationCheck } from '@farebox/protocol/internal/field-rules/declaration-check'
import { copyPlainJson, startCheckRun } from '@farebox/protocol/internal/fields/plain-json'
import { MAX_DECLARATION_PROBLEMS } from '@farebox/protocol/limits'
import type { Problem } from '@farebox/protocol/problems/problem'
import type { Flow } from './flow.ts'
import { MAX_FLOW_CHARACTERS } from './flow-limits.ts'
import { flowSchema } from './flow-schema.ts'

/** A flow, or every problem of the document. */
export type FlowResult =
  | { readonly ok: true; readonly flow: Flow }
  | { readonly ok: false; readonly problems: readonly Pick<Problem, 'path' | 'reason'>[] }

/** A reason may quote the document, so it is truncated. */
const MAX_REASON_CHARACTERS = 500

/**
 * Reads an external flow. Every document with the form of a flow is accepted, even if it cannot be run: wires to missing
 * ports are kept, and `checkFlow` reports them.
 *
 * @param value the result of `JSON.parse`
 * @example
 * ```ts
 * import { readFlow } from '@farebox/flows/document/read-flow'
 * import { formatProblem } from '@farebox/protocol/problems/problem'
 *
 * const read = readFlow(JSON.parse('{"flow_version": 1}'))
 * if (!read.ok) for (const problem of read.problems) console.log(formatProblem(problem)) // name: …
 * ```
 */
export function readFlow(value: unknown): FlowResult {
  const run = startCheckRun()
  const copy = copyPlainJson(value, run, 0)
  if (copy === undefined) return refuse([{ path: run.path.toReversed(), reason: run.reason }])
  const { length } = JSON.stringify(copy)
  if (length > MAX_FLOW_CHARACTERS)
    return refuse([
      { path: [], reason: `must be at most ${MAX_FLOW_CHARACTERS} characters of JSON, got ${length}` },
    ])
  const read = flowSchema.safeParse(copy)
  if (!read.success)
    return refuse(
      read.error.issues.slice(0, MAX_DECLARATION_PROBLEMS).map(({ path, message }) => ({
        path: path.map(part => (typeof part === 'symbol' ? String(part) : part)),
        reason: lowerFirst(message).slice(0, MAX_REASON_CHARACTERS),
      })),
    )
  const flow = read.data as Flow
  const problems = checkSchemas(flow)
  return problems.length > 0 ? refuse(problems) : { ok: true, flow }
}

/** The schemas of a flow share one budget; a capability that is used twice is checked once. */
function checkSchemas(flow: Flow): Problem[] {
  const whole = startDeclarationCheck()
  const right = new Set<string>()
  const check = (fields: unknown, path: Problem['path'], side: Side): Problem[] => {
    const key = `${side} ${JSON.stringify(fields)}`
    if (right.has(key)) return []
    const problems = checkFields(fields, path, { side, whole })
    if (problems.length === 0) right.add(key)
    return problems
  }
  const problems = check(flow.inputs, ['inputs'], 'input')
  for (const [id, step] of Object.entries(flow.steps)) {
    if (problems.length > 0) break
    if (step.kind === 'pick' && step.gives !== undefined)
      problems.push(...check({ gives: step.gives }, ['steps', id], 'input'))
    if (step.kind !== 'job') continue
    const path = ['steps', id, 'pinned']
    problems.push(
      ...check(step.pinned.input_schema, [...path, 'input_schema'], 'input'),
      ...check(step.pinned.output_schema, [...path, 'output_schema'], 'output'),
    )
  }
  return problems
}

function refuse(problems: readonly Pick<Problem, 'path' | 'reason'>[]): FlowResult {
  return { ok: false, problems }
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
