import { describe, expect, test } from 'vitest'
import { COMMANDS } from './commands.ts'
import { runCli } from './run-cli.ts'
import { createTestWorld } from './testing/test-world.ts'

const NAMES = [
  'init',
  'dev',
  'types',
  'start',
  'validate',
  'check',
  'register',
  'deregister',
  'login',
  'whoami',
  'logout',
  'dashboard',
  'secret',
  'webhook',
  'call',
  'flow',
  'limits',
  'verify-receipt',
  'wallet',
]

/** The output of `farebox <words>`, and its exit code. */
async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { world, out, err } = createTestWorld({ folder: '/nowhere' })
  const code = await runCli(words, world)
  return { code, out: out(), err: err() }
}

test('farebox --help names every command in a line of its own, in the order of an agent’s life', async () => {
  const { code, out } = await run('--help')
  expect(code).toBe(0)
  const listed = /^Commands:\n([\s\S]*?)\n\n/m.exec(out)?.[1] ?? ''
  expect(listed.split('\n').map(line => /^ {2}(\S+) +\S/.exec(line)?.[1])).toEqual(NAMES)
  expect(out).toMatch(/^Exit codes\n/m)
})

describe('the help of every command has an example that begins with farebox', () => {
  test.each(NAMES)('farebox %s --help', async name => {
    const { code, out, err } = await run(name, '--help')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^Examples?\\n(?: {2}.*\\n)*? {2}farebox ${name}\\b`, 'm'))
    expect(await run('help', name)).toEqual({ code: 0, out, err: '' })
  })

  test('there are no other commands', () => {
    expect(Object.keys(COMMANDS)).toEqual(NAMES)
  })
})

test('commands to paste begin with npx when the shell does not find farebox', async () => {
  const say = async (...words: readonly string[]): Promise<string> => {
    const { world, out, err } = createTestWorld({ folder: '/nowhere', program: 'npx farebox' })
    await runCli(words, world)
    return out() + err()
  }
  expect(await say('call', '--help')).toMatch(/^ {2}npx farebox call --resume$/m)
  expect(await say('chek')).toContain('  npx farebox --help lists the options\n')
  expect(await say('call', '--nonsense')).toContain('  npx farebox call')
  expect(await say('call')).toContain('  npx farebox call http://localhost:3001 --help tells what it does\n')
  expect(await say('call', '--json')).toContain('"next":"npx farebox call http://localhost:3001')
  expect(await say('wallet', 'list')).toContain('npx farebox wallet new makes one')
})

test('an unknown command is refused with the most similar one, exit code 2', async () => {
  expect(await run('chek')).toEqual({
    code: 2,
    out: '',
    err: "✗ unknown command 'chek', did you mean check?\n  farebox --help lists the options\n",
  })
})

test('help on an unknown command is refused like the command', async () => {
  expect(await run('help', 'chek')).toEqual(await run('chek'))
})

test('an unknown option is refused by its command, exit code 2', async () => {
  expect(await run('types', '--chek')).toEqual({
    code: 2,
    out: '',
    err: "✗ unknown option '--chek', did you mean --check?\n  farebox types --help lists the options\n",
  })
})

test('a key in the arguments is refused for every command, and not repeated', async () => {
  const key = `0x${'4f'.repeat(32)}`
  const { code, out, err } = await run('check', 'http://localhost:3000', '--private-key', key)
  expect(code).toBe(2)
  expect(err).toContain('✗')
  expect(out + err).not.toContain('4f4f')
})
