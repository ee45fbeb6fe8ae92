import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EXIT, CommandError } from '../command-error.ts'
import { runCli } from '../run-cli.ts'
import { createTestWorld, type TestWorld } from '../testing/test-world.ts'
import type { World } from '../world.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-init-'))
})
afterEach(() => rm(folder, { recursive: true }))

const FILES = [
  '.dockerignore',
  '.env.example',
  '.gitignore',
  'Dockerfile',
  'README.md',
  'agent.d.ts',
  'agent.json',
  'agent.test.ts',
  'handlers.ts',
  'my-agent.service',
  'package.json',
  'tsconfig.json',
]

type Ended = TestWorld & { readonly code: number }

async function init(words: readonly string[], answers?: readonly string[]): Promise<Ended> {
  const stage = createTestWorld({ folder, ...(answers && { answers }) })
  return { ...stage, code: await runCli(['init', ...words], stage.world) }
}

const read = async (path: string): Promise<string> => await readFile(join(folder, path), 'utf8')
const readJson = async (path: string): Promise<unknown> => JSON.parse(await read(path))

async function write(path: string, text: string): Promise<void> {
  await writeFile(join(folder, path), text)
}

describe('a new agent', () => {
  test('--yes makes a folder named after the agent and shows the next steps', async () => {
    const { code, out, err } = await init(['my-agent', '--yes'])
    expect([code, err()]).toEqual([0, ''])
    expect((await readdir(join(folder, 'my-agent'))).sort()).toEqual(FILES)
    expect(await readJson('my-agent/agent.json')).toMatchObject({
      $schema: './node_modules/farebox/agent.schema.json',
      name: 'My agent',
      wallet: '${AGENT_WALLET_ADDRESS}',
      capabilities: { count: { pricing: { amount: '0.001' } } },
    })
    expect(await readJson('my-agent/package.json')).toMatchObject({ name: 'my-agent', type: 'module' })
    expect(out()).toMatch(/^✓ My agent is in my-agent\/\n/)
    expect(out()).toContain(
      [
        'Next',
        '  cd my-agent',
        '  npm install',
        '  npx farebox dev',
        '',
        'and in another terminal',
        "  curl -s localhost:3000/execute -H 'content-type: application/json' -d '{",
      ].join('\n'),
    )
  })

  test('asks for missing answers, and repeats the question after an invalid one', async () => {
    const answers = ['Größte Zahl', 'largest', '', '0,01', '0.01']
    const { code, out, questions } = await init(['new', '--description', 'Finds the largest.'], answers)
    expect([code, questions]).toEqual([
      0,
      [
        'What is the agent called? New',
        'What do callers call the first thing it does? count',
        'And what does that do? Words of a text, the longest of them, and how long they take to read.',
        'What does a job cost, in USDC? 0.001',
        'must be a decimal like "0.01", got "0,01"',
        'What does a job cost, in USDC? 0.001',
      ],
    ])
    expect(await readJson('new/agent.json')).toMatchObject({
      name: 'Größte Zahl',
      description: 'Finds the largest.',
      capabilities: { largest: { pricing: { amount: '0.01' } } },
    })
    expect(await readJson('new/package.json')).toMatchObject({ name: 'grosste-zahl' })
    expect(await readdir(join(folder, 'new'))).toContain('grosste-zahl.service')
    expect(out()).toContain('  cd new\n')
  })

  test('an abort during the questions leaves nothing behind', async () => {
    const stage = createTestWorld({ folder, answers: [] })
    const leave = (): Promise<never> =>
      Promise.reject(new CommandError('stopped', '', { exitCode: EXIT.interrupted }))
    const world: World = { ...stage.world, ask: { ...stage.world.ask, text: leave } }
    expect(await runCli(['init', 'my-agent'], world)).toBe(130)
    expect(await readdir(folder)).toEqual([])
  })

  test('names the missing answers when there is no terminal', async () => {
    const { code, err } = await init(['my-agent', '--capability', 'count'])
    expect([code, err()]).toEqual([
      2,
      `✗ there is no terminal to ask on, and --description, --price are not given
  add --yes for sensible defaults, or give all of them:
  --description "Counts words." --capability count --price 0.002
`,
    ])
    expect(await readdir(folder)).toEqual([])
  })

  test.each([
    ['--name', 'x'.repeat(65), 'must be at most 64 characters, got 65'],
    ['--name', ' ', 'must not be empty'],
    ['--capability', '7', 'must not have a number as its name: objects put such names first (D28)'],
    ['--capability', '__proto__', 'must have another name: JavaScript takes __proto__ for something else'],
    ['--price', '0', 'must be more than zero'],
  ])('D28 %s %j is refused by the rules of the declaration', async (flag, value, reason) => {
    const { code, err } = await init(['my-agent', '--yes', flag, value])
    expect([code, err().split('\n')[0]]).toEqual([2, `✗ ${flag}: ${reason}`])
    expect(await readdir(folder)).toEqual([])
  })

  test('--json: one document, with the files', async () => {
    const { code, out, err } = await init(['my-agent', '--yes', '--json'])
    expect([code, err()]).toEqual([0, ''])
    const { written, ...rest } = JSON.parse(out()) as { readonly written: readonly string[] }
    expect([...written].sort()).toEqual(FILES)
    expect(rest).toMatchObject({ ok: true, folder: join(folder, 'my-agent'), replaced: [], kept: [] })
  })
})

describe('existing files', () => {
  beforeEach(async () => {
    await write('agent.json', 'mine')
    await write('precious.txt', 'mine too')
    await symlink('precious.txt', join(folder, 'README.md'))
  })
  const words = ['.', '--name', 'My agent', '--yes']

  test('are all listed before the first question, and nothing is written', async () => {
    const { code, err, questions } = await init(['.', '--name', 'My agent'], ['no', 'no'])
    expect([code, questions]).toEqual([1, []])
    expect(err()).toBe(`✗ nothing was written: 2 files are in the way in this folder
    agent.json   a file
    README.md    a symbolic link
  --overwrite replaces exactly these; or name another folder: farebox init <folder>
`)
    expect(await readdir(folder)).toEqual(['README.md', 'agent.json', 'precious.txt'])
    expect(await read('agent.json')).toBe('mine')
  })

  test('--json: the same as one document', async () => {
    const { code, out, err } = await init([...words, '--json'])
    expect([code, err(), JSON.parse(out())]).toEqual([
      1,
      '',
      {
        ok: false,
        folder,
        conflicts: [
          { path: 'agent.json', what: 'a file' },
          { path: 'README.md', what: 'a symbolic link' },
        ],
      },
    ])
  })

  test('--overwrite replaces exactly these: a link itself, never what it points to', async () => {
    const { code, out } = await init([...words, '--overwrite'])
    expect(code).toBe(0)
    expect(out()).toContain('what it costs (replaced)\n')
    expect((await readdir(folder)).sort()).toEqual([...FILES, 'precious.txt'].sort())
    expect(await readJson('agent.json')).toMatchObject({ name: 'My agent' })
    expect((await lstat(join(folder, 'README.md'))).isFile()).toBe(true)
    expect(await read('precious.txt')).toBe('mine too')
  })

  test('a folder is never replaced, not even by --overwrite', async () => {
    await mkdir(join(folder, 'Dockerfile'))
    const { code, err } = await init([...words, '--overwrite'])
    expect(code).toBe(1)
    expect(err()).toContain('    Dockerfile   a folder\n  move away what is no file')
    expect(await read('agent.json')).toBe('mine')
    expect(await readlink(join(folder, 'README.md'))).toBe('precious.txt')
  })
})

describe('an existing package.json', () => {
  const own = { name: 'mine', scripts: { test: 'mine' }, dependencies: { farebox: '0.0.1' } }

  test.each([['--yes'], ['--yes', '--overwrite']])(
    'stays (%s %s), and the missing parts are listed',
    async (...flags) => {
      await write('package.json', JSON.stringify(own))
      const { code, out } = await init(['.', ...flags.filter(flag => flag !== undefined)])
      expect(code).toBe(0)
      expect(await readJson('package.json')).toEqual(own)
      expect(out()).toMatch(/^ {2}package\.json .* was there and stays; what it lacks is added below$/m)
      expect(out()).toMatch(/^ {2}npm pkg set type=module scripts\.dev='farebox dev' scripts\.start=/m)
      expect(out()).not.toContain('scripts.test=')
      expect(out()).toMatch(/^ {2}npm install --save-exact --save-dev @farebox\/cli@\S+ tsx@/m)
      expect(out()).not.toMatch(/ farebox@/)
    },
  )

  test('an unreadable package.json stops init before anything is written', async () => {
    await write('package.json', '{')
    const { code, err } = await init(['.', '--yes'])
    expect(code).toBe(1)
    expect(err()).toContain('package.json cannot be read\n')
    expect(await readdir(folder)).toEqual(['package.json'])
  })
})

describe('a repository that was just cloned', () => {
  test('keeps its README, and its ignore lists lose nothing and keep secrets out', async () => {
    await write('README.md', 'mine')
    await write('.gitignore', '# mine\n  node_modules/\n/build')
    const { code, out } = await init(['.', '--yes'])
    expect(code).toBe(0)
    expect(await read('README.md')).toBe('mine')
    expect(await read('.gitignore')).toBe(
      '# mine\n  node_modules/\n/build\n.farebox/\n.env\n.env.*\n!.env.example\n*.log\n',
    )
    expect(out()).toMatch(/^ {2}README\.md .* was there and stays$/m)
    expect(out()).toMatch(/^ {2}\.gitignore .* was there; the lines it lacked stand below its own$/m)
    expect(await readdir(folder)).toContain('handlers.ts')
  })

  test('is unchanged if its ignore lists are complete, and --json reports what was kept', async () => {
    expect((await init(['.', '--yes'])).code).toBe(0)
    const list = `# mine\n${await read('.gitignore')}`
    await write('.gitignore', list)
    await rm(join(folder, 'agent.json'))
    const { code, out } = await init(['.', '--yes', '--overwrite', '--json'])
    expect(code).toBe(0)
    expect(await read('.gitignore')).toBe(list)
    expect(JSON.parse(out())).toMatchObject({
      kept: ['package.json', 'README.md', '.gitignore', '.dockerignore'],
    })
  })

  test('a binary ignore list is a conflict, because rewriting it would lose bytes', async () => {
    const bytes = Buffer.from([0xff, 0x66, 0x0a])
    await writeFile(join(folder, '.gitignore'), bytes)
    const { code, err } = await init(['.', '--yes'])
    expect([code, err()]).toEqual([1, expect.stringContaining('    .gitignore   a file\n')])
    expect(await readFile(join(folder, '.gitignore'))).toEqual(bytes)
  })

  test('has neither if something else is in the way', async () => {
    await write('.gitignore', 'mine\n')
    await write('handlers.ts', 'mine')
    const { code, err } = await init(['.', '--yes'])
    expect([code, err()]).toEqual([1, expect.stringContaining('    handlers.ts   a file\n')])
    expect(await read('.gitignore')).toBe('mine\n')
  })
})

describe('a target that cannot be a folder', () => {
  test.each([
    ['a file', async () => await write('there', ''), 'there', 'there cannot be a folder: it is a file'],
    [
      'a folder below a file is refused',
      async () => await write('there', ''),
      'there/in',
      'there cannot be a folder: it is a file',
    ],
    [
      'a link to nothing',
      async () => await symlink('nowhere', join(folder, 'there')),
      'there',
      'there cannot be a folder: it is a symbolic link to nothing',
    ],
  ])('%s is named', async (_, arrange, path, reason) => {
    await arrange()
    const { code, err } = await init([path, '--yes'])
    expect(code).toBe(1)
    expect(err()).toContain(`✗ ${join(folder, reason)}\n`)
    expect(await readdir(folder)).toEqual(['there'])
  })
})
