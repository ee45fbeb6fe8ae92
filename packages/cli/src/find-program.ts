import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'

/**
 * How this program is called at a prompt: `farebox` where a folder of PATH has it, else `npx farebox`. Folders that npm
 * and npx put before PATH for the time of one command are none of the shell's.
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
