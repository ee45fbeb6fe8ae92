import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ExternalProgram } from './attack.ts'

/** Debian installs PgBouncer here, which is not in everybody's PATH. */
const MORE_FOLDERS = ['/usr/sbin']

/** The path of an installed program; undefined where it is missing. */
export function findProgram(name: ExternalProgram): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...MORE_FOLDERS]
  return folders.map(folder => join(folder, name)).find(file => existsSync(file))
}
