import type { OutputCheck, Violation } from '@farebox/protocol/fields/compile'
import { describeThrown } from './describe-thrown.ts'

/** An output as it was found where the handler ran; plain enough to come from another process. */
export interface CheckedOutput {
  /** The first thing wrong with it. */
  readonly violation: Violation | undefined
  /** Undeclared fields, the first 20. */
  readonly dropped: readonly string[]
  /** What goes out: of what was checked; in dev mode of the output as it is. Undefined where nothing can. */
  readonly json: string | undefined
  /** Why the output as it is cannot be written as JSON. */
  readonly unwritable: string | undefined
}

/** Checks an output, whatever it is, and writes it as JSON. Never throws. */
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
