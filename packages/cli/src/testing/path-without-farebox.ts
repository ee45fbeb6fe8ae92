import { delimiter } from 'node:path'
import { findProgram } from '../find-program.ts'

/** This process's PATH without the folders that have a `farebox`, so that hints are the same on every machine. */
export function pathWithoutFarebox(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.filter(folder => findProgram(folder) === 'npx farebox').join(delimiter)
}
