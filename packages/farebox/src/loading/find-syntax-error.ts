import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The place of a syntax error in a file. */
export interface SyntaxPlace {
  readonly file: string
  /** Line and column are from 1. */
  readonly line: number
  readonly column: number
  readonly reason: string
}

/** More files than a project of handlers has, so that the search ends whatever the files import. */
const MAX_FILES = 200
const MAX_CHECK_MS = 10_000

/**
 * Finds the JavaScript file that does not parse, starting at the imported one. Node knows the place, but for an
 * imported module it reports the place only on stderr, when the error ends the process.
 */
export async function findSyntaxError(file: string): Promise<SyntaxPlace | undefined> {
  const files = new Set([file])
  for (const path of files) {
    if (!/\.[cm]?js$/.test(path)) continue
    const found = await checkSyntax(path)
    if (found !== undefined) return found
    const source = await readFile(path, 'utf8').catch(() => '')
    for (const [, specifier = ''] of source.matchAll(RELATIVE_IMPORT)) {
      if (files.size < MAX_FILES) files.add(resolve(dirname(path), specifier))
    }
  }
  return undefined
}

const RELATIVE_IMPORT = /(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

/**
 * The beginning of Node's report of a syntax error: the place, some lines of source, and a caret below the last one.
 */
const HEAD = /^(\S.*):(\d+)\n(?:.*\n)*?([ \t]*)\^/

/** Reads the place from a stack, or from the output of `node --check`; undefined when there is none. */
export function readSyntaxPlace(text: string, reason: string): SyntaxPlace | undefined {
  const [, file, line, indent] = HEAD.exec(text) ?? []
  if (file === undefined || indent === undefined) return undefined
  return { file, line: Number(line), column: indent.length + 1, reason }
}

function checkSyntax(path: string): Promise<SyntaxPlace | undefined> {
  return new Promise(resolved => {
    execFile(process.execPath, ['--check', path], { timeout: MAX_CHECK_MS }, (error, _, stderr) => {
      const reason = /^SyntaxError.*?: (.*)$/m.exec(stderr)?.[1]
      resolved(error === null || reason === undefined ? undefined : readSyntaxPlace(stderr, reason))
    })
  })
}
