import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram } from './find-program.ts'
import { terminalAsk } from './terminal/ask.ts'
import type { Screen, World } from './world.ts'

/** Creates the world of this process. Only this function reads `process` for the commands. */
export function terminalWorld(signal: AbortSignal): World {
  const variables = process.env
  return {
    folder: process.cwd(),
    variables,
    home: variables['FAREBOX_HOME'] || join(homedir(), '.farebox'),
    clone: findClone(),
    program: findProgram(variables['PATH']),
    out: screenOf(process.stdout, variables),
    err: screenOf(process.stderr, variables),
    canAsk: process.stdin.isTTY && process.stderr.isTTY && !isSet(variables['CI']),
    ask: terminalAsk(signal),
    openPage: async url => {
      if (!process.stderr.isTTY || isSet(variables['CI'])) return false
      const { openBrowser } = await import('./terminal/open-browser.ts')
      return await openBrowser(url)
    },
    readInput: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString('utf8')
    },
    signal,
  }
}

/**
 * Finds the repository that this program runs from. In it, this file is in `packages/cli/src` or `packages/cli/dist`, and
 * the pack script is in `scripts`.
 */
function findClone(): string | undefined {
  const folder = fileURLToPath(new URL('../../..', import.meta.url))
  return existsSync(join(folder, 'scripts', 'pack.mjs')) ? folder : undefined
}

function screenOf(stream: NodeJS.WriteStream, variables: World['variables']): Screen {
  return {
    write: text => void stream.write(text),
    live:
      stream.isTTY &&
      variables['TERM'] !== 'dumb' &&
      !isSet(variables['NO_COLOR']) &&
      !isSet(variables['CI']),
    get columns() {
      return stream.columns || 80
    },
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== ''
}
