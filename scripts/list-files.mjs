import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files of the repository that git does not ignore, new ones included.
 *
 * @param {string} root
 * @param {...string} patterns - as git takes them; default: all
 * @returns {string[]} relative to the root
 */
export function listFiles(root, ...patterns) {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns]
  const names = execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1_048_576 })
  return names.split('\n').filter(name => name !== '' && existsSync(join(root, name)))
}
