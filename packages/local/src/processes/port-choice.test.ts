import { createServer, type Server } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startOnPort, type PortChoice } from './port-choice.ts'
import { runToEnd } from './run-program.ts'

let folder: string
let squatter: Server
let taken: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-ports-'))
  squatter = createServer()
  taken = await new Promise(resolve => {
    squatter.listen(0, '127.0.0.1', () => {
      const address = squatter.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
})
afterEach(async () => {
  squatter.close()
  await rm(folder, { recursive: true })
})

/** Starts a program that listens on the chosen port and reports it, and ends the program again. */
async function listenOn(choice: PortChoice): Promise<number> {
  const code = (port: number) =>
    `const server = require('net').createServer().listen(${port}, '127.0.0.1', () => console.log('on ' + server.address().port))`
  const program = await startOnPort(choice, port =>
    runToEnd({
      name: 'listener',
      folder,
      port,
      command: process.execPath,
      arguments: ['--eval', code(port)],
      readReady: line => /^on (\d+)$/.exec(line)?.[1],
    }),
  )
  await program.stop()
  return Number(program.ready)
}

test('a free port replaces a preferred port that is taken', async () => {
  expect(await listenOn({ preferred: taken })).not.toBe(taken)
  squatter.close()
  expect(await listenOn({ preferred: taken })).toBe(taken)
})

test('a required port that is taken is refused with the process that uses it', async () => {
  const refused = expect(listenOn(taken)).rejects
  await refused.toMatchObject({ port: taken, message: expect.stringContaining(`process ${process.pid} `) })
})

test('a failure for another reason is not retried', async () => {
  let tries = 0
  const starting = startOnPort({ preferred: taken }, () => {
    tries += 1
    return Promise.reject(new Error('no'))
  })
  await expect(starting).rejects.toThrow('no')
  expect(tries).toBe(1)
})
