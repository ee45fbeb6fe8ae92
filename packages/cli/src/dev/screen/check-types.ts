import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import type { Clock } from 'farebox'

export interface TypeProblem {
  /** The path relative to the folder in which the command was called. */
  readonly file: string
  readonly line: number
  readonly column: number
  readonly reasons: readonly string[]
}

/** Checks types in the background; the agent does not wait for it. */
export interface TypeCheck {
  begin(): void
  stop(): void
}

/** Several triggers come close together: a save, and the types that are written after it. */
const GATHER_MS = 150
/** A lower priority than the agent's own processes, so that a restart comes first. */
const PRIORITY = 10

/**
 * Checks the types of a project with the TypeScript installed in it, in the background, after every save. Does nothing when
 * TypeScript is not installed, or when there is no `tsconfig.json` between the config and the project's `package.json`.
 *
 * @param project `config`: the agent's, absolute; `folder`: where the command was called
 * @param tell called with the result of a run, only when it differs from the previous one
 */
export function checkTypes(
  project: { readonly config: string; readonly folder: string },
  clock: Clock,
  tell: (problems: readonly TypeProblem[]) => void,
): TypeCheck {
  const compiler = findCompiler(dirname(project.config))
  let running: ChildProcess | undefined
  let cancel = (): void => undefined
  let told = '[]'

  function run(): void {
    if (compiler === undefined) return
    running?.kill()
    const words = [compiler.program, '--noEmit', '--pretty', 'false', '-p', compiler.tsconfig]
    const cwd = dirname(compiler.tsconfig)
    const child = spawn(process.execPath, words, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
    running = child
    lowerPriority(child)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (output += text))
    // A compiler that cannot be run is treated like one that is not installed.
    child.on('error', () => undefined)
    child.on('close', code => {
      // A newer run has begun, or the check was stopped, so this result is out of date.
      if (running !== child || code === null) return
      const problems = readProblems(output, { from: cwd, to: project.folder })
      const found = JSON.stringify(problems)
      if (found === told || (code !== 0 && problems.length === 0)) return
      told = found
      tell(problems)
    })
  }

  return {
    begin() {
      cancel()
      cancel = clock.after(GATHER_MS, run)
    },
    stop() {
      cancel()
      running?.kill()
      running = undefined
    },
  }
}

/** Parses the compiler's output with `--pretty false`; exported for its test. */
export function readProblems(
  output: string,
  folders: { readonly from: string; readonly to: string },
): readonly TypeProblem[] {
  const problems: (TypeProblem & { readonly reasons: string[] })[] = []
  for (const text of output.split(/\r?\n/)) {
    const [, file, line, column, reason] = /^(\S.*)\((\d+),(\d+)\): error TS\d+: (.*)$/.exec(text) ?? []
    if (file !== undefined && reason !== undefined) {
      const path = relative(folders.to, resolve(folders.from, file))
      problems.push({ file: path, line: Number(line), column: Number(column), reasons: [reason] })
    } else if (/^\s+\S/.test(text)) {
      problems.at(-1)?.reasons.push(text.trim())
    }
  }
  return problems
}

function findCompiler(folder: string): { readonly program: string; readonly tsconfig: string } | undefined {
  const tsconfig = findTsconfig(folder)
  if (tsconfig === undefined) return undefined
  try {
    const manifest = createRequire(tsconfig).resolve('typescript/package.json')
    const program = join(dirname(manifest), 'bin', 'tsc')
    return existsSync(program) ? { program, tsconfig } : undefined
  } catch {
    return undefined
  }
}

/** The search stops at the project's folder: a `tsconfig.json` above it is about other files. */
function findTsconfig(folder: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    const path = join(here, 'tsconfig.json')
    if (existsSync(path)) return path
    if (existsSync(join(here, 'package.json')) || dirname(here) === here) return undefined
  }
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, PRIORITY)
  } catch {
    // The process has ended, or the system does not permit the change.
  }
}
