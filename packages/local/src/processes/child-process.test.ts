import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startChild } from './child-process.ts'
import { readProcess } from 'farebox/src/command-line'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-child-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

const readReady = (line: string) => /^ready (\d+)$/.exec(line)?.[1]

test('waits for the ready line on stdout or stderr, and passes on every line', async () => {
  const seen: string[] = []
  const child = await run("console.log('hello'); console.error('ready 7'); setInterval(() => {}, 1000)", {
    onLine: line => seen.push(line),
  })
  expect(child.ready).toBe('7')
  expect(seen.toSorted()).toEqual(['hello', 'ready 7'])
  expect((await child.stop()).signal).toBe('SIGTERM')
  expect(await readProcess(child.pid)).toBeUndefined()
})

test('kills a program that ignores SIGTERM', async () => {
  const stubborn = "process.on('SIGTERM', () => {}); console.log('ready 1'); setInterval(() => {}, 1000)"
  const child = await run(stubborn)
  expect((await child.stop(50)).signal).toBe('SIGKILL')
})

test('stop can be called twice, and after the end', async () => {
  const child = await run("console.log('ready 1'); process.exitCode = 3")
  expect(await child.exited).toMatchObject({ code: 3, signal: null })
  expect(await child.stop()).toMatchObject({ code: 3 })
  expect(await child.stop()).toMatchObject({ code: 3 })
})

test('the error for a program that ends before it is ready has its part, its log and the next step', async () => {
  const event = '{"time":"…","level":"error","event":"cannot start","error":"no such disk"}'
  const logFile = join(folder, 'logs', 'disk.log')
  const program = run(`console.error('first'); console.error('${event}'); process.exitCode = 2`, {
    part: 'the disk',
    logFile,
    advice: 'plug it in',
  })
  await expect(program).rejects.toThrow(
    [
      'the disk did not start: it ended with exit code 2',
      '  its last lines:',
      '    first',
      '    error: cannot start: no such disk',
      `  its whole log: ${logFile}`,
      '  try: plug it in',
    ].join('\n'),
  )
  expect(await readFile(logFile, 'utf8')).toBe(`first\n${event}\n`)
})

test('a program that never becomes ready is ended after five minutes', async () => {
  let pass = (): void => undefined
  let limitMs = 0
  let pid = 0
  const starting = run("console.log('pid ' + process.pid); setInterval(() => {}, 1000)", {
    part: 'the sleeper',
    timer(delayMs, callback) {
      limitMs = delayMs
      pass = callback
      return () => undefined
    },
    onLine(line) {
      pid = Number(line.slice('pid '.length))
      pass()
    },
  })
  await expect(starting).rejects.toThrow('the sleeper did not start: it was not ready after 5 minutes')
  expect(limitMs).toBe(300_000)
  expect(await readProcess(pid)).toBeUndefined()
})

test('the activity in its log is reported until it is ready', async () => {
  const event = (name: string) => `console.log('${JSON.stringify({ level: 'info', event: name })}')`
  const activities: string[] = []
  const code = `${event('migrating')}; console.log('ready 1'); ${event('serving')}; console.log('over')`
  const child = await run(code, { onActivity: activity => activities.push(activity) })
  await child.exited
  expect(activities).toEqual(['migrating'])
})

test('ends a program whose start is cancelled', async () => {
  const giveUp = new AbortController()
  const onLine = () => giveUp.abort(new Error('given up'))
  const starting = run("console.log('slow'); setInterval(() => {}, 1000)", { onLine, signal: giveUp.signal })
  await expect(starting).rejects.toThrow('given up')
})

test('reports a program that does not exist', async () => {
  await expect(startChild({ command: '/nonexistent/program', arguments: [], readReady })).rejects.toThrow(
    '/nonexistent/program did not start: it cannot be run',
  )
})

async function run(code: string, options: Partial<Parameters<typeof startChild<string>>[0]> = {}) {
  return await startChild({ command: process.execPath, arguments: ['--eval', code], readReady, ...options })
}
