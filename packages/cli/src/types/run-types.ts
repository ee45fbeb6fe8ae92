import { printableJson } from '@farebox/conformance/internal/printable'
import { relative, resolve } from 'node:path'
import { ConfigError, explainFailure, readConfig } from 'farebox/internal/command-line'
import { EXIT, type ExitCode } from '../command-error.ts'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { readTypes, type TypesState, writeTypes } from './write-types.ts'
import { failureDocument } from '../terminal/run-with-json.ts'

export interface RawTypesOptions {
  readonly config: string
  readonly out?: string
  readonly check?: true
  readonly json?: true
}

/** The output of `farebox types --json`. */
interface TypesDocument {
  readonly ok: boolean
  /** Absolute. */
  readonly file: string
  readonly outcome: 'written' | 'fresh' | 'stale'
  /** Absolute path of the file that an import resolves to instead. */
  readonly hiddenBy?: string
}

/** `farebox types`. With `--json` the output is always exactly one document. */
export async function runTypes(world: World, options: RawTypesOptions): Promise<ExitCode> {
  return await withConfigProblems(world, options, async () => {
    const answer = await makeTypes(world, options)
    if (options.json === true) world.out.write(`${printableJson(answer)}\n`)
    else say(world, answer)
    return answer.ok ? EXIT.done : EXIT.refused
  })
}

/**
 * Runs a command that reads a declaration. Problems of the declaration are shown with the file's name as the person typed
 * it; with `--json` every failure is a document.
 */
export async function withConfigProblems(
  world: World,
  { config, json }: Pick<RawTypesOptions, 'config' | 'json'>,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  const asNamed = (text: string): string =>
    text.replaceAll(resolve(world.folder, config), config.replace(/^\.\//, ''))
  try {
    return await work()
  } catch (error) {
    const isConfig = error instanceof ConfigError
    const document = isConfig ? { ok: false, problems: error.problems } : failureDocument(world, error)
    if (json === true) world.out.write(asNamed(`${printableJson(document)}\n`))
    else if (isConfig) world.err.write(asNamed(explainFailure(error, paintFor(world.err))))
    if (!isConfig) throw error
    return EXIT.refused
  }
}

async function makeTypes(world: World, options: RawTypesOptions): Promise<TypesDocument> {
  const config = resolve(world.folder, options.config)
  const declaration = await readConfig(config)
  const place = options.out === undefined ? {} : { out: resolve(world.folder, options.out) }
  const asked = { config, declaration, ...place }
  if (options.check === true) {
    const { isFresh, ...state } = await readTypes(asked)
    return documentOf(state, isFresh ? 'fresh' : 'stale')
  }
  const { changed, ...state } = await writeTypes(asked)
  return documentOf(state, changed ? 'written' : 'fresh')
}

function documentOf(
  { file, hiddenBy }: Pick<TypesState, 'file' | 'hiddenBy'>,
  outcome: TypesDocument['outcome'],
): TypesDocument {
  return { ok: outcome !== 'stale', file, outcome, ...(hiddenBy !== undefined && { hiddenBy }) }
}

function say(world: World, { file, outcome, hiddenBy }: TypesDocument): void {
  const { folder, out, err } = world
  const name = relative(folder, file)
  if (hiddenBy !== undefined) {
    const other = relative(folder, hiddenBy)
    err.write(`${paintFor(err).yellow('!')} the compiler reads ${other} instead of ${name}\n`)
    err.write(`  rename ${other}, or name another file with --out\n`)
  }
  switch (outcome) {
    case 'written':
      return out.write(`${paintFor(out).green('✓')} ${name} written\n`)
    case 'fresh':
      return out.write(`${paintFor(out).green('✓')} ${name} is up to date\n`)
    case 'stale':
      err.write(`${paintFor(err).red('✗')} ${name} does not match the declaration\n`)
      return err.write(`  ${asTyped(world, 'farebox types')} writes it again\n`)
  }
}
