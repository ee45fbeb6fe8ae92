import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { typesFileName } from './describe-samples.ts'
import type { Report } from '../messages/messages.ts'

/**
 * Writes `agent.d.ts` anew where the project uses it: it is there already, or the handlers are TypeScript. Rejects
 * never: types are a comfort, and the agent serves without.
 *
 * @returns what there is to report, if anything
 */
export async function keepTypes(
  config: string,
  declaration: Declaration,
  handlers: string | undefined,
): Promise<Report | undefined> {
  const folder = dirname(config)
  const isWanted =
    existsSync(join(folder, typesFileName(config))) ||
    (handlers === undefined ? existsSync(join(folder, 'tsconfig.json')) : /\.[mc]?ts$/.test(handlers))
  if (!isWanted) return undefined
  try {
    const { writeTypes } = await import('../../types/write-types.ts')
    const { file, changed } = await writeTypes({ config, declaration })
    return changed ? { kind: 'typed', file } : undefined
  } catch (error) {
    return { kind: 'not typed', reason: error instanceof Error ? error.message : String(error) }
  }
}
