import { readConfig } from '../config/read-config.ts'
import { explainFailure, readOptions } from './command-options.ts'

/** `farebox validate`: checks the config alone, for CI. Exit code 0 good, 1 problems, printed with their places. */
export async function validateCommand(words: readonly string[]): Promise<number> {
  try {
    const { config } = readOptions(words)
    const declaration = await readConfig(config)
    const names = Object.keys(declaration.capabilities)
    process.stdout.write(
      `✓ ${config}: ${declaration.name}, ${names.length} ${names.length === 1 ? 'capability' : 'capabilities'}: ${names.join(', ')}\n`,
    )
    return 0
  } catch (error) {
    process.stderr.write(explainFailure(error))
    return 1
  }
}
