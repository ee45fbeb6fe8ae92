import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { MismatchedHandlers, matchHandlers, type AnyHandlers } from '../handlers.ts'
import { relativePlace } from '../own-frames.ts'
import { HandlersError, loadHandlers } from './load-handlers.ts'

/**
 * Loads a file of handlers and compares it with the declaration. Throws a {@link HandlersError}; for handlers that do
 * not match it names the line of the first surplus one, if that can be found.
 *
 * @param folder the folder that places in messages are relative to
 */
export async function loadMatchingHandlers(
  declaration: Declaration,
  file: string,
  folder: string = process.cwd(),
): Promise<AnyHandlers> {
  const handlers = await loadHandlers(file, folder)
  try {
    matchHandlers(declaration, handlers)
    return handlers
  } catch (error) {
    throw await explainMismatch(error, file, folder)
  }
}

/** Adds the place in the file to a mismatch; any other error is returned unchanged. */
export async function explainMismatch(error: unknown, file: string, folder: string): Promise<unknown> {
  if (!(error instanceof MismatchedHandlers)) return error
  const path = resolve(folder, file)
  const text = await readFile(path, 'utf8').catch(() => '')
  const place = `${relativePlace(path, folder)}${placeOf(error.surplus[0], text)}`
  return new HandlersError(
    `${place}  ${error.message}`,
    'name each handler as its capability in the declaration',
    {
      cause: error,
    },
  )
}

/** `:7:3` for a key that occurs exactly once in the text; otherwise empty, because the place would be a guess. */
function placeOf(name: string | undefined, text: string): string {
  if (name === undefined) return ''
  const word = name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  const keys = [...text.matchAll(new RegExp(`(?<![\\w$.])(['"]?)${word}\\1\\s*[:(,}]`, 'gu'))]
  const [only, second] = keys
  if (only === undefined || second !== undefined) return ''
  const before = text.slice(0, only.index).split('\n')
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}
