import { printable } from '@farebox/conformance/internal/printable'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandError, systemErrorCode } from '../command-error.ts'
import type { World } from '../world.ts'

/** Reads the text of a file, or of standard input for `-`. */
export async function readForeignText(
  world: World,
  file: string,
  { what, maxBytes }: { readonly what: string; readonly maxBytes: number },
): Promise<string> {
  const shown = `${what}: ${printable(file.slice(0, 200))}`
  if (file === '-') {
    const text = await world.readInput()
    if (Buffer.byteLength(text) > maxBytes)
      throw new CommandError(`${shown} is larger than ${maxBytes} bytes`, '')
    return text
  }
  const path = resolve(world.folder, file)
  try {
    const { size } = await stat(path)
    if (size <= maxBytes) return await readFile(path, 'utf8')
  } catch (cause) {
    const code = systemErrorCode(cause)
    throw new CommandError(`${shown} cannot be read (${code})`, 'name a file, or - for the standard input', {
      cause,
    })
  }
  throw new CommandError(`${shown} is larger than ${maxBytes} bytes`, 'is it the right file?')
}
