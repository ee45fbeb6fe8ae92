import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'

/**
 * Returns how a person calls this program: `farebox` when a folder of PATH contains it, else `npx farebox`. Folders that
 * npm and npx add to PATH for one command are ignored.
 *
 * @param path the PATH of this process
 */
export function findProgram(path: string | undefined): 'farebox' | 'npx farebox' {
  const folders = (path ?? '').split(delimiter).filter(folder => isAbsolute(folder) && !isOfNpm(folder))
  return folders.some(hasFarebox) ? 'farebox' : 'npx farebox'
}

function isOfNpm(folder: string): boolean {
  return folder.includes(`${sep}node_modules${sep}`)
}

function hasFarebox(folder: string): boolean {
  try {
    accessSync(join(folder, process.platform === 'win32' ? 'farebox.cmd' : 'farebox'), constants.X_OK)
    return true
  } catch {
    return false
  }
}
