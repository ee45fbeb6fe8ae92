import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from './config-error.ts'

/** Larger than any declaration, small enough to read whole. */
const MAX_CONFIG_BYTES = 4_194_304

/** Reads the text of a config file. Throws a {@link ConfigError} when the file cannot be read or is not UTF-8 text. */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await readBytes(file)
  if (bytes.length > MAX_CONFIG_BYTES) {
    const reason = `is ${bytes.length} bytes, at most ${MAX_CONFIG_BYTES} are read`
    throw wholeFile(file, reason, 'name the declaration: it is far smaller than this')
  }
  // Some shells write UTF-16 with ">"; every other byte of ASCII text is then zero.
  if (bytes.includes(0)) throw wholeFile(file, 'is not UTF-8 text, UTF-16 perhaps', SAVE_AS_UTF8)
  if (!isUtf8(bytes)) throw wholeFile(file, notUtf8(bytes), SAVE_AS_UTF8)
  return bytes.toString('utf8')
}

const SAVE_AS_UTF8 = 'save it as UTF-8'

function notUtf8(bytes: Buffer): string {
  // The line is approximate when the text itself contains this character.
  const before = bytes.toString('utf8').split('�', 1)[0] ?? ''
  return `is not UTF-8 text: line ${before.split('\n').length} has bytes of another encoding`
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    switch (code) {
      case 'ENOENT':
        throw wholeFile(file, 'there is no such file', 'name it with --config, or run this in its folder')
      case 'EISDIR':
        throw wholeFile(file, 'is a folder', `name the file in it: --config ${join(file, 'agent.json')}`)
      case 'EACCES':
      case 'EPERM':
        throw wholeFile(file, 'must not be read by this user', `allow it: chmod u+r ${file}`)
      default:
        throw wholeFile(file, `cannot be read (${code})`, 'check the file and its disk')
    }
  }
}

function wholeFile(file: string, reason: string, fix: string): ConfigError {
  return new ConfigError(file, [{ file, path: '', reason, fix }])
}
