import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProcess } from 'farebox/src/command-line'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PortTakenError } from './port-taken-error.ts'
import { runToEnd, type ProgramOptions } from './run-program.ts'
import { launch } from '../testing/launch.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-program-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

/** A program that becomes ready and then prints nothing. */
function silent(): Omit<ProgramOptions<true>, 'readReady'> {
  const code = `console.log('ready'); setInterval(() => {}, 1000)`
  return { name: 'silent', folder, port: 0, command: process.execPath, arguments: ['--eval', code] }
}

async function launchSilent(): Promise<{ readonly launcher: number; readonly program: number }> {
  const { pid, ready } = await launch(`
    import { runToEnd } from '@farebox/local/src/processes/run-program'
    const readReady = line => line === 'ready' || undefined
    const { pid } = await runToEnd({ ...${JSON.stringify(silent())}, readReady })
    console.log(JSON.stringify({ pid }))`)
  return { launcher: pid, program: (ready as { readonly pid: number }).pid }
}

test('a program ends with the process that runs it, even by kill -9', async () => {
  const { launcher, program } = await launchSilent()
  expect(await readProcess(program)).toBeDefined()
  process.kill(launcher, 'SIGKILL')
  await expect.poll(() => readProcess(program)).toBeUndefined()
})

test('processes left by an earlier run are ended first', async () => {
  const { launcher, program } = await launchSilent()
  const next = await runToEnd({ ...silent(), readReady: line => line === 'ready' || undefined })
  expect(await readProcess(program)).toBeUndefined()
  await next.stop()
  // That process ran only for the program.
  await expect.poll(() => readProcess(launcher)).toBeUndefined()
})

test.each([
  'Error: listen EADDRINUSE: address already in use',
  '✗ cannot listen: port 3001 is in use by another program',
])(
  'a program whose port is taken at the last moment is refused like one found taken before: %s',
  async said => {
    const code = `console.error(${JSON.stringify(said)}); process.exit(1)`
    const program = { ...silent(), port: 1, arguments: ['--eval', code] }
    await expect(runToEnd({ ...program, readReady: () => undefined })).rejects.toBeInstanceOf(PortTakenError)
  },
)
