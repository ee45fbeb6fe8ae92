import { startChild } from '../processes/child-process.ts'
import type { RunningChild } from '../processes/child-process.ts'

/**
 * Runs a few lines of module code in a separate process, so that a test can kill a launcher.
 *
 * @param code - an ES module; its first line of JSON on stdout means that it is ready
 * @returns the process, with that line's value
 */
export async function launch(code: string): Promise<RunningChild<unknown>> {
  return await startChild({
    command: process.execPath,
    arguments: ['--conditions=@farebox/built', '--input-type=module', '--eval', code],
    readReady: line => (line.startsWith('{') ? parse(line) : undefined),
  })
}

function parse(line: string): unknown {
  return JSON.parse(line)
}
