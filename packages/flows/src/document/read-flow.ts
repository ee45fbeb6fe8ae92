import { checkFields } from '@farebox/protocol/field-rules/check-fields'
import type { Problem } from '@farebox/protocol/problems/problem'
import type { Flow } from './flow.ts'
import { MAX_FLOW_CHARACTERS, MAX_FLOW_FIELDS } from './flow-limits.ts'
import { flowSchema } from './flow-schema.ts'

/** A flow, or everything that keeps the document from being one. */
export type FlowResult =
  | { readonly ok: true; readonly flow: Flow }
  | { readonly ok: false; readonly problems: readonly Pick<Problem, 'path' | 'reason'>[] }

/**
 * Reads a flow from outside. Whatever has the shape of one is read, also where it cannot be run: wires that lead
 * nowhere are kept, and explained by `checkFlow`.
 *
 * @param value what `JSON.parse` gives
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
  const length = lengthOf(value)
  if (length > MAX_FLOW_CHARACTERS)
    return refuse([
      { path: [], reason: `must be at most ${MAX_FLOW_CHARACTERS} characters of JSON, got ${length}` },
    ])
  const read = flowSchema.safeParse(value)
  if (!read.success)
    return refuse(
      read.error.issues.map(({ path, message }) => ({
        path: path.map(part => (typeof part === 'symbol' ? String(part) : part)),
        reason: lowerFirst(message),
      })),
    )
  const flow = read.data as Flow
  const problems = checkSchemas(flow)
  return problems.length > 0 ? refuse(problems) : { ok: true, flow }
}

function checkSchemas(flow: Flow): Problem[] {
  const problems = checkFields(flow.inputs, ['inputs'], { side: 'input' })
  if (Object.keys(flow.inputs).length > MAX_FLOW_FIELDS)
    problems.push({
      path: ['inputs'],
      reason: `must be at most ${MAX_FLOW_FIELDS} inputs`,
      fix: 'leave some out',
    })
  for (const [id, step] of Object.entries(flow.steps)) {
    if (problems.length > 0) break
    if (step.kind === 'pick' && step.gives !== undefined)
      problems.push(...checkFields({ gives: step.gives }, ['steps', id], { side: 'input' }))
    if (step.kind !== 'job') continue
    const path = ['steps', id, 'pinned']
    problems.push(
      ...checkFields(step.pinned.input_schema, [...path, 'input_schema'], { side: 'input' }),
      ...checkFields(step.pinned.output_schema, [...path, 'output_schema'], { side: 'output' }),
    )
  }
  return problems
}

function lengthOf(value: unknown): number {
  try {
    return (JSON.stringify(value) ?? '').length
  } catch {
    return 0
  }
}

function refuse(problems: readonly Pick<Problem, 'path' | 'reason'>[]): FlowResult {
  return { ok: false, problems }
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
