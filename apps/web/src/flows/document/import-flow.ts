import type { Flow } from '@farebox/flows/document/flow'

/** A flow that was read from a file, or what is wrong with the file. */
export type ImportedFlow =
  | { readonly ok: true; readonly flow: Flow }
  | { readonly ok: false; readonly problems: readonly string[] }

/** A file has at most what a flow may have, and some room for how it is written. */
const MOST_BYTES = 4 * 1_048_576

/** Reads a flow from a file. Nothing is thrown, whatever the file. */
export async function importFlow(file: File): Promise<ImportedFlow> {
  if (file.size > MOST_BYTES)
    return { ok: false, problems: [`The content has ${file.size} bytes, but the limit is ${MOST_BYTES}.`] }
  try {
    return await readFlowText(await file.text())
  } catch {
    return { ok: false, problems: ['The content could not be read.'] }
  }
}

/** Reads a flow from text, however it is indented. */
export async function readFlowText(text: string): Promise<ImportedFlow> {
  const { readDocument } = await import('./read-document.ts')
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return { ok: false, problems: ['The content is not valid JSON.'] }
  }
  return readDocument(document)
}
