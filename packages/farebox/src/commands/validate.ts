import { resolve } from 'node:path'
import { placeInFile, writeProblem } from '../config/config-error.ts'
import { findConfigWarnings } from '../config/parse-config.ts'
import { ConfigError, readConfig } from '../config/read-config.ts'
import { readTextFile } from '../config/read-text-file.ts'
import { shownText } from '../config/shown-text.ts'
import { relativePlace } from '../own-frames.ts'
import { readValidateOptions } from '../invocation/command-options.ts'
import { processWorld, type CommandWorld } from '../invocation/command-world.ts'

/**
 * `farebox validate`: checks only the config, for CI; it needs no environment and no handlers. Exit code 0 for a valid
 * config, with or without warnings; 1 for problems, each with its place; 2 for invalid arguments.
 */
export async function validateCommand(
  args: readonly string[],
  world: CommandWorld = processWorld(),
): Promise<number> {
  try {
    const { config, json } = readValidateOptions(args)
    const file = relativePlace(resolve(world.folder, config))
    return json ? await validateAsJson(file, world) : await validateForPeople(file, world)
  } catch (error) {
    // Imported lazily: a command that succeeds does not need it.
    const { refuse } = await import('../invocation/refuse.ts')
    return refuse(error, world)
  }
}

async function validateForPeople(file: string, { out }: CommandWorld): Promise<number> {
  const { name, capabilities } = await readConfig(file)
  const names = Object.keys(capabilities)
  const count = `${names.length} ${names.length === 1 ? 'capability' : 'capabilities'}`
  out.write(`✓ ${file}: ${name}, ${count}: ${names.join(', ')}\n`)
  for (const warning of findConfigWarnings(file, await readTextFile(file)))
    out.write(`! ${placeInFile(warning)}  ${writeProblem(warning)}\n  ${shownText(warning.fix)}\n`)
  return 0
}

async function validateAsJson(file: string, { out }: CommandWorld): Promise<number> {
  try {
    const { name, capabilities } = await readConfig(file)
    const warnings = findConfigWarnings(file, await readTextFile(file))
    out.write(`${JSON.stringify({ ok: true, name, capabilities: Object.keys(capabilities), warnings })}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { problems } = error
    out.write(`${JSON.stringify({ ok: false, problems })}\n`)
    return 1
  }
}
