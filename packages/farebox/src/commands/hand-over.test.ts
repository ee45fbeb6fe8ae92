import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createProject, type Ended, type Project } from './run-farebox.test-setup.ts'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))
const PACKAGES = join(PACKAGE, '..')

// The runtime as installed without the CLI; in this repository the CLI is always beside it.
let project: Project
let bin = ''
beforeEach(async () => {
  project = await createProject()
  const modules = join(project.folder, 'runtime', 'node_modules')
  const home = join(modules, 'farebox')
  await mkdir(join(modules, '@farebox'), { recursive: true })
  const filter = (path: string): boolean => !/\.(d\.ts|map)$/.test(path)
  for (const name of ['bin', 'dist'])
    await cp(join(PACKAGE, name), join(home, name), { recursive: true, filter })
  await cp(join(PACKAGE, 'package.json'), join(home, 'package.json'))
  for (const name of ['protocol', 'payments'])
    await symlink(join(PACKAGES, name), join(modules, '@farebox', name), 'junction')
  for (const name of ['jsonc-parser', 'tsx'])
    await symlink(
      dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`))),
      join(modules, name),
      'junction',
    )
  bin = join(home, 'bin', 'farebox.js')
})
afterEach(() => project.remove())

/** Installs a CLI that prints its place and its arguments. */
async function installCli(folder: string, source = CLI): Promise<void> {
  const home = join(project.folder, folder, 'node_modules', '@farebox', 'cli')
  await mkdir(home, { recursive: true })
  await writeFile(
    join(home, 'package.json'),
    JSON.stringify({ name: '@farebox/cli', type: 'module', exports: { './run-cli': './run-cli.js' } }),
  )
  await writeFile(join(home, 'run-cli.js'), source)
}

const CLI = `
export async function runCli(args) {
  console.log(JSON.stringify({ args, file: import.meta.url }))
  setInterval(() => {}, 60_000)
  return 3
}`

const farebox = (...args: string[]): Promise<Ended> => project.farebox(args, {}, bin).ended

describe('the CLI is not installed', () => {
  test.each([
    ['dev', 'npm install --save-dev @farebox/cli'],
    ['init', 'npx @farebox/cli init my-agent'],
  ])('farebox %s is refused with the command that installs it: exit 2', async (command, install) => {
    expect(await farebox(command, '--port', '1')).toEqual({
      code: 2,
      stdout: '',
      stderr: `✗ farebox ${command} is a command of @farebox/cli, which is not installed here\n  ${install}\n`,
    })
  })

  test('a misspelt command is refused with a suggestion', async () => {
    expect(await farebox('strat')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        '✗ farebox strat: not a command, did you mean farebox start?\n  farebox --help lists all commands\n',
    })
    expect((await farebox('frobnicate')).stderr).toBe(
      '✗ farebox frobnicate: not a command\n  farebox --help lists all commands\n',
    )
  })

  test.each([[[]], [['--help']], [['help']]])(
    '%j lists the commands of the runtime, and those of the CLI with the command that installs it',
    async args => {
      const { code, stdout, stderr } = await farebox(...args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/^ {2}start +\S.*\n {2}validate +\S/m)
      expect(stdout).toMatch(/npm install --save-dev @farebox\/cli\n\n {2}init +\S/)
    },
  )

  test('start and validate have their own help, with the environment and an example', async () => {
    const { code, stdout } = await farebox('start', '--help')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}AGENT_WALLET_ADDRESS +required +\S/m)
    expect(stdout).toMatch(/^ {2}--workers <n> +\S/m)
    expect(stdout).toMatch(/\nExample\n {2}.+\n$/s)
    expect((await farebox('help', 'start')).stdout).toBe(stdout)
    expect((await farebox('validate', '-h')).stdout).toMatch(/\nExample\n {2}farebox validate agent\.json\n$/)
  })

  test('--version', async () => {
    expect(await farebox('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })
})

describe('the CLI is installed', () => {
  test.each([
    ['the project’s first', ['', 'runtime'], 'node_modules/@farebox/cli/'],
    ['else the one beside the runtime', ['runtime'], 'runtime/node_modules/@farebox/cli/'],
  ])('other commands are passed to it unchanged, with its exit code: %s', async (_, places, expected) => {
    for (const place of places) await installCli(place)
    const { code, stdout } = await farebox('call', 'http://a', '--json')
    const told = JSON.parse(stdout) as { readonly file: string }
    expect({ code, told }).toEqual({
      code: 3,
      told: { args: ['call', 'http://a', '--json'], file: expect.stringContaining(expected) },
    })
    expect(told.file.includes('/runtime/')).toBe(!places.includes(''))
  })

  test('--help goes to the CLI too; start, validate and --version stay in the runtime', async () => {
    await installCli('')
    expect(JSON.parse((await farebox('--help')).stdout)).toMatchObject({ args: ['--help'] })
    expect(JSON.parse((await farebox()).stdout)).toMatchObject({ args: ['--help'] })
    expect((await farebox('validate')).stdout).toMatch(/^✓ agent\.json: Waiter/)
  })

  test('an error of a broken CLI is shown, and not reported as a missing CLI', async () => {
    await installCli('', "import 'not-installed-at-all'\nexport const runCli = () => 0")
    const { code, stderr } = await farebox('dev')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^✗ @farebox\/cli could not be loaded\n/)
    expect(stderr).toContain("Cannot find package 'not-installed-at-all'")
  })
})
