import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram } from './find-program.ts'
import { terminalAsk, type Ask } from './terminal/ask.ts'

/** What a command may touch of the world: handed in, so that a test can be the terminal. */
export interface World {
  /** Where the command was called. */
  readonly folder: string
  /** The environment, as the process has it. */
  readonly variables: { readonly [name: string]: string | undefined }
  /** Where wallets and the journal of calls are kept between commands: `$FAREBOX_HOME`, else `~/.farebox`. */
  readonly home: string
  /** The repository that this program runs from, absolute; undefined where it was installed from a registry. */
  readonly clone: string | undefined
  /** What this program is called by at a prompt here: `farebox`, or `npx farebox` where PATH does not have it. */
  readonly program: string
  /** What was asked for: answers, reports, `--json`. */
  readonly out: Screen
  /** Everything beside it: progress, questions, refusals. */
  readonly err: Screen
  /** Whether somebody is there to be asked. */
  readonly canAsk: boolean
  /** Asks them. */
  readonly ask: Ask
  /**
   * Shows a page in the person's browser; false where there is none, or nobody to look at it. Only http and https
   * URLs.
   */
  openPage(url: string): Promise<boolean>
  /** Reads all of the standard input. */
  readInput(): Promise<string>
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
}

/** One of the two streams of a terminal. */
export interface Screen {
  write(text: string): void
  /** Whether colours and moving lines are wanted: a terminal, and neither `NO_COLOR` nor a CI. */
  readonly live: boolean
  /** Characters in a line. */
  readonly columns: number
}

/** The process as a world. The only place that reads `process` for the commands. */
export function processWorld(signal: AbortSignal): World {
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

/** In a repository this file is in `packages/cli/src` or `dist`, and what packs the packages is beside those. */
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
