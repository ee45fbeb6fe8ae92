import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readProcess } from '../read-process.ts'

const LAUNCHER_GONE = new URL('launcher-gone.ts', import.meta.url).href

/** A program that ends with npm, or after a minute. */
const PROGRAM = `
  import { launcherGone } from '${LAUNCHER_GONE}'
  setTimeout(() => {}, 60_000)
  void launcherGone(process.env).then(() => process.exit(0))
  setTimeout(() => console.log(process.pid), 300)`

/** Starts a stand-in for npm that runs the program in a shell, as npm does; resolves when the program is running. */
async function launch(
  variables: NodeJS.ProcessEnv,
): Promise<{ readonly npm: ChildProcessByStdio<null, Readable, null>; readonly pid: number }> {
  const words = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', '"$PROGRAM"']
  const npm = spawn(
    process.execPath,
    [
      '--eval',
      `require('node:child_process').spawn('sh', ['-c', process.env.LINE], { stdio: 'inherit' })
       process.on('SIGTERM', () => process.exit(0))`,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...variables,
        PATH: process.env['PATH'],
        PROGRAM,
        LINE: `${process.execPath} ${words.join(' ')}; true`,
      },
    },
  )
  const pid = await new Promise<number>(resolve => {
    npm.stdout.setEncoding('utf8').once('data', (text: string) => resolve(Number(text)))
  })
  return { npm, pid }
}

const ends = async (pid: number): Promise<void> => await expect.poll(() => readProcess(pid)).toBeUndefined()

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a program that npm runs in a shell detects the end of npm by %s',
  async signal => {
    const { npm, pid } = await launch({ npm_execpath: '/npm' })
    expect(await readProcess(pid)).toBeDefined()
    npm.kill(signal)
    await ends(pid)
  },
)

test('a program that was started in the background without npm continues when its shell ends', async () => {
  const { npm, pid } = await launch({})
  npm.kill('SIGKILL')
  await new Promise(resolve => npm.once('exit', resolve))
  // Longer than two polling intervals.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  expect(await readProcess(pid)).toBeDefined()
  process.kill(pid, 'SIGKILL')
  await ends(pid)
})
