import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Attack, ExternalProgram } from './attack.ts'

/** Debian installs PgBouncer here, which is not in everybody's PATH. */
const MORE_FOLDERS = ['/usr/sbin']

/** The path of an installed program; undefined where it is missing. */
export function findProgram(name: ExternalProgram): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS]
  return folders.map(folder => join(folder, name)).find(file => existsSync(file))
}

/** Why an attack cannot run on this machine; undefined where it can. */
export function reasonToSkip({ needs }: Attack): string | undefined {
  const missing = needs.find(program => findProgram(program) === undefined)
  return missing === undefined ? undefined : `${missing} is not installed`
}
