import { describe, expect, test } from 'vitest'
import { runProgram } from './run-program.ts'
import type { DescribedProgram } from './show-help.ts'

const PROGRAM: DescribedProgram = {
  name: 'farebox-example',
  summary: 'serves examples',
  version: '1.2.3',
  commands: [{ name: 'count', summary: 'counts its words', run: args => Promise.resolve(10 + args.length) }],
  variables: {
    EXAMPLE_PORT: { meaning: 'the port that examples are served on, '.repeat(4).trim(), default: '4000' },
    EXAMPLE_TOKEN: { meaning: 'opens the rest' },
  },
  documentation: 'docs/example.md',
}

async function run(args: readonly string[], columns = 80) {
  const [out, err]: [string[], string[]] = [[], []]
  const screen = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), columns }
  const code = await runProgram(PROGRAM, args, () => Promise.resolve(0), screen)
  return { code, out: out.join(''), err: err.join('') }
}

describe('the arguments of a server program', () => {
  test('none: it runs the server and prints nothing', async () => {
    expect(await run([])).toEqual({ code: 0, out: '', err: '' })
  })

  test.each([['--help'], ['-h'], ['help']])('%s: every variable with default and meaning', async word => {
    const { code, out, err } = await run([word])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^farebox-example {3}serves examples$/m)
    expect(out).toMatch(/farebox-example count +counts its words$/m)
    expect(out).toMatch(/EXAMPLE_PORT +4000 +the port/)
    expect(out).toMatch(/EXAMPLE_TOKEN +– +opens the rest/)
  })

  test.each([40, 60, 80, 120])('help keeps within %d columns where words allow it', async columns => {
    const { out } = await run(['--help'], columns)
    const variables = out.slice(out.indexOf('Environment'), out.indexOf('Exit codes')).split('\n')
    expect(Math.max(...variables.map(line => line.length))).toBeLessThanOrEqual(columns)
  })

  test('--version prints only the version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' })
  })

  test('a command gets the arguments after it and returns its exit code', async () => {
    expect((await run(['count', 'one', '--two'])).code).toBe(12)
  })

  test.each([
    [['--prot=4000'], '✗ there is no option "--prot"'],
    [['serve'], '✗ there is no command "serve"'],
    [[`0x${'ab'.repeat(32)}`], '✗ there is no command of 66 characters'],
    [['\u001b[2J'], String.raw`✗ there is no command "\u001b[2J"`],
  ])('unknown arguments %j: exit 2, and never a secret that was put there', async (args, message) => {
    const { code, out, err } = await run(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toBe(`${message}\n  farebox-example --help lists the options\n`)
  })
})
