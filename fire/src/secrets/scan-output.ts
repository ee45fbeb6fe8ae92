// What other batteries' and suites' programs said, looked through for secrets of any run:
//   npx tsx fire/src/secrets/scan-output.ts <folder or file> …
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { MARK } from './planted.ts'

/** Something that has the form of a secret. */
export interface Suspect {
  readonly what: string
  readonly source: string
  /** The line, without it. */
  readonly line: string
}

const MARKS = [
  MARK,
  ...[0, 1, 2].map(before =>
    Buffer.from(' '.repeat(before) + MARK)
      .toString('base64')
      .slice(4, -4),
  ),
]

/** Secrets by their form: no run needs to have told us its own. */
const FORMS: readonly { readonly what: string; readonly form: RegExp }[] = [
  { what: 'a planted secret', form: new RegExp(MARKS.join('|'), 'g') },
  { what: 'a FACILITATOR_SECRET', form: /fbx_[0-9a-f]{16}_[\w-]{51}/g },
  { what: 'a signature or a signed transaction', form: /[0-9a-f]{130,}/gi },
  { what: 'a payment header', form: /(?:eyJ|ewo)[\w+/=-]{400,}/g },
  { what: 'a bearer token', form: /Bearer [\w~+/.-]{16,}/g },
  { what: 'a password in a URL', form: /\w:\/\/[^/\s:@"]*:(?!\[hidden\]@)[^/\s@"]+@/g },
  {
    what: 'the private key of a test account',
    form: new RegExp(
      Object.values(TEST_KEYS)
        .map(({ privateKey }) => privateKey.slice(2))
        .join('|'),
      'gi',
    ),
  },
]

/** Looks through a text, line by line. */
export function findSuspects(source: string, text: string): readonly Suspect[] {
  return text.split('\n').flatMap(line =>
    FORMS.flatMap(({ what, form }) => {
      const shown = line.replaceAll(form, '█')
      return shown === line ? [] : [{ what, source, line: shown.slice(0, 300) }]
    }),
  )
}

/** Looks through a file, or every file of a folder. */
async function scanOutput(path: string): Promise<readonly Suspect[]> {
  if (!(await stat(path)).isDirectory()) return findSuspects(path, await readFile(path, 'utf8'))
  const files = (await readdir(path, { recursive: true, withFileTypes: true })).filter(entry =>
    entry.isFile(),
  )
  const found: Suspect[] = []
  for (const { parentPath, name } of files)
    found.push(...findSuspects(join(parentPath, name), await readFile(join(parentPath, name), 'utf8')))
  return found
}

/** The exit code: 1 where there is a suspect. */
async function main(paths: readonly string[]): Promise<number> {
  const found = (await Promise.all(paths.map(scanOutput))).flat()
  for (const { what, source, line } of found) process.stdout.write(`✗ ${what} in ${source}\n  ${line}\n`)
  process.stdout.write(`${found.length} suspects in ${paths.join(', ')}\n`)
  return found.length === 0 && paths.length > 0 ? 0 : 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  main(process.argv.slice(2)).then(
    code => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`✗ ${String(error)}\n`)
      process.exit(1)
    },
  )
