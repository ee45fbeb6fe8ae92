import { expect, test } from 'vitest'
import { startChild } from './child-process.ts'
import { readProcess } from 'farebox/src/command-line'

const readReady = (line: string) => /^ready (\d+)$/.exec(line)?.[1]

test('waits for the line that says ready, on stdout or stderr, and hands on every line', async () => {
  const seen: string[] = []
  const child = await run("console.log('hello'); console.error('ready 7'); setInterval(() => {}, 1000)", {
    onLine: line => seen.push(line),
  })
  expect(child.ready).toBe('7')
  expect(seen.toSorted()).toEqual(['hello', 'ready 7'])
  expect((await child.stop()).signal).toBe('SIGTERM')
  expect(await readProcess(child.pid)).toBeUndefined()
})

test('kills a program that does not heed SIGTERM', async () => {
  const stubborn = "process.on('SIGTERM', () => {}); console.log('ready 1'); setInterval(() => {}, 1000)"
  const child = await run(stubborn)
  expect((await child.stop(50)).signal).toBe('SIGKILL')
})

test('stop may come after the end and be called twice', async () => {
  const child = await run("console.log('ready 1'); process.exitCode = 3")
  expect(await child.exited).toMatchObject({ code: 3, signal: null })
  expect(await child.stop()).toMatchObject({ code: 3 })
  expect(await child.stop()).toMatchObject({ code: 3 })
})

test('explains an early end with the last lines of the program', async () => {
  await expect(run("console.error('no such disk'); process.exitCode = 2")).rejects.toThrow(
    /ended before it was ready \(code 2\):\nno such disk$/,
  )
})

test('ends a program that is not ready in time', async () => {
  await expect(run('setInterval(() => {}, 1000)', { readyTimeoutMs: 100 })).rejects.toThrow(
    'was not ready after 0.1 s',
  )
})

test('ends a program whose start is given up', async () => {
  const giveUp = new AbortController()
  const onLine = () => giveUp.abort(new Error('given up'))
  const starting = run("console.log('slow'); setInterval(() => {}, 1000)", { onLine, signal: giveUp.signal })
  await expect(starting).rejects.toThrow('given up')
})

test('says when a program does not exist', async () => {
  await expect(startChild({ command: '/nonexistent/program', arguments: [], readReady })).rejects.toThrow(
    '/nonexistent/program could not be started',
  )
})

async function run(code: string, options: Partial<Parameters<typeof startChild<string>>[0]> = {}) {
  return await startChild({ command: process.execPath, arguments: ['--eval', code], readReady, ...options })
}
