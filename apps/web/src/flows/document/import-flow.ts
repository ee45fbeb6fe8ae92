// Imported first: creating a schema would otherwise try `eval`, which the content security policy of the pages refuses.
import '../../site/without-eval.ts'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { formatProblem } from '@farebox/protocol/problems/problem'

/** A flow that was read from a file, or the first problems of the file. */
export type ImportedFlow =
  | { readonly ok: true; readonly flow: Flow }
  | { readonly ok: false; readonly problems: readonly string[] }

/** The size of the largest document of a flow, with some room for indentation. */
const MOST_BYTES = 4 * 1_048_576

/** Reads a flow from a file. Never throws, whatever the file contains. */
export async function importFlow(file: File): Promise<ImportedFlow> {
  if (file.size > MOST_BYTES) return refuse(`has ${file.size} bytes, but the limit is ${MOST_BYTES}`)
  try {
    return readFlowText(await file.text())
  } catch {
    return refuse('could not be read')
  }
}

/** The most problems that are shown. */
const MOST_SHOWN = 5

/** Reads a flow from untrusted text. Wires whose step or port is missing are kept. */
export function readFlowText(text: string): ImportedFlow {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return refuse('is not valid JSON')
  }
  const read = readFlow(document)
  if (read.ok) return read
  return { ok: false, problems: read.problems.slice(0, MOST_SHOWN).map(problem => formatProblem(problem)) }
}

function refuse(reason: string): ImportedFlow {
  return { ok: false, problems: [`The content ${reason}.`] }
}
