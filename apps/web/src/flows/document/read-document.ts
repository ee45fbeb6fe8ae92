// First: what makes schemas would else try what the policy of the pages refuses.
import '../../site/without-eval.ts'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { formatProblem } from '@farebox/protocol/problems/problem'

/** A flow that was read from outside, or the first things that keep it from being one. */
export type DocumentResult =
  | { readonly ok: true; readonly flow: Flow }
  | { readonly ok: false; readonly problems: readonly string[] }

/** So many problems are shown. */
const MOST_SHOWN = 5

/** Reads a document that anybody can have written. What can be read is kept whole, with wires that lead nowhere. */
export function readDocument(value: unknown): DocumentResult {
  const read = readFlow(value)
  if (read.ok) return read
  return { ok: false, problems: read.problems.slice(0, MOST_SHOWN).map(problem => formatProblem(problem)) }
}
