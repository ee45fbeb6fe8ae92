import type { OutputCheck, Violation } from '@farebox/protocol/fields/compile'
import { describeThrown } from './describe-thrown.ts'

/** The result of checking an output in the process where the handler ran; plain enough to be sent between processes. */
export interface CheckedOutput {
  /** The first violation of the schema. */
  readonly violation: Violation | undefined
  /** Undeclared fields, at most the first 20. */
  readonly dropped: readonly string[]
  /** The JSON of the checked output; in dev mode of the unchanged output. Undefined when there is none. */
  readonly json: string | undefined
  /** Why the output cannot be written as JSON. */
  readonly unwritable: string | undefined
}

/** Checks any output against the schema and writes it as JSON. Never throws. */
export function checkOutput(check: OutputCheck, output: unknown, devMode: boolean): CheckedOutput {
  const checked = check(output)
  const violation = checked.ok ? undefined : checked.violation
  const dropped = checked.ok ? checked.dropped : []
  if (devMode) return { violation, dropped, ...writeJson(output) }
  if (!checked.ok) return { violation, dropped, json: undefined, unwritable: undefined }
  return { violation, dropped, ...writeJson(checked.value) }
}

function writeJson(value: unknown): Pick<CheckedOutput, 'json' | 'unwritable'> {
  try {
    const json: unknown = JSON.stringify(value)
    if (typeof json === 'string') return { json, unwritable: undefined }
    return { json: undefined, unwritable: undefined }
  } catch (error) {
    return { json: undefined, unwritable: describeThrown(error) }
  }
}
