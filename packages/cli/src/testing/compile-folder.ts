import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A folder outside the repository in which the compiler finds `farebox`, as in a project that installed it. */
export interface CompileFolder {
  readonly folder: string
  write(name: string, text: string): Promise<void>
  /** Compiles every `.ts` file there with the real compiler, in strict mode; resolves to the errors. */
  compile(resolution?: 'nodenext' | 'bundler'): Promise<readonly CompileError[]>
  remove(): Promise<void>
}

/** One error of the compiler. */
export interface CompileError {
  /** `handlers.ts`. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** All of its lines. */
  readonly message: string
}

const NODE_MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
const COMPILER = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin', 'tsc')

/** Creates one. Compiling takes some seconds: put many files into it. */
export async function createCompileFolder(): Promise<CompileFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-compile-'))
  const write = async (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
  await symlink(NODE_MODULES, join(folder, 'node_modules'))
  await write('package.json', '{ "type": "module" }')
  return {
    folder,
    write,
    async compile(resolution = 'nodenext') {
      await write('tsconfig.json', JSON.stringify(projectOf(resolution)))
      return readErrors(await runCompiler(folder))
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function projectOf(resolution: 'nodenext' | 'bundler'): object {
  return {
    compilerOptions: {
      target: 'es2023',
      module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
      moduleResolution: resolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      noEmit: true,
      types: ['node'],
      // The packages' sources, not their builds.
      customConditions: ['@farebox/source'],
      allowImportingTsExtensions: true,
    },
    include: ['*.ts'],
  }
}

async function runCompiler(folder: string): Promise<string> {
  return await new Promise(resolve => {
    execFile(
      process.execPath,
      [COMPILER, '--pretty', 'false'],
      { cwd: folder, maxBuffer: 64 * 1_048_576 },
      (_error, stdout) => resolve(stdout),
    )
  })
}

/** Only of the folder's own files: the packages are compiled with settings of their own. */
function readErrors(output: string): readonly CompileError[] {
  return output.split(/\n(?!\s)/).flatMap(text => {
    const [, file, line, message] = /^([^/\s()]+)\((\d+),\d+\): error (.*)$/s.exec(text.trimEnd()) ?? []
    return file === undefined || message === undefined ? [] : [{ file, line: Number(line), message }]
  })
}
