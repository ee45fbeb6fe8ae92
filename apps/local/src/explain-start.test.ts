import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCAL_CHAIN_IDS } from '@farebox/local/economy'
import { FolderInUseError } from '@farebox/local/src/processes/claim-folder'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { PortTakenError } from '@farebox/local/src/processes/port-taken-error'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { explainStart } from './explain-start.ts'
import { CHAIN_IDS, readFlags } from '../../../scripts/start-flags.mjs'

let root: string
let squatters: Server[]
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'farebox-start-'))
  squatters = []
})
afterEach(async () => {
  for (const squatter of squatters) await new Promise(resolve => squatter.close(resolve))
  await rm(root, { recursive: true })
})

async function takePort(): Promise<number> {
  const squatter = createServer()
  squatters.push(squatter)
  await new Promise<void>(resolve => squatter.listen(0, '127.0.0.1', resolve))
  return (squatter.address() as AddressInfo).port
}

async function explain(error: unknown, words: readonly string[]): Promise<string> {
  const explained = await explainStart(error, { flags: readFlags(words), root, agentCount: 5 })
  return (explained as Error).message
}

/** The arguments that a shell parses from the command in the message, without `npm start --`. */
function commandIn(message: string): readonly string[] {
  const [, words = ''] = /^ {2}npm start -- (.*)$/m.exec(message) ?? []
  return words.split(' ').map(word => word.replace(/^'(.*)'$/, '$1'))
}

test('npm start names all ports that are in use, and suggests a command with free ports', async () => {
  const [chain, facilitator, platform, agents] = [
    await takePort(),
    await takePort(),
    await findFreePort(),
    await takePort(),
  ]
  const words = ['chain', chain, 'facilitator', facilitator, 'platform', platform, 'agents', agents]
    .map((word, index) => (index % 2 === 0 ? `--${word}-port` : String(word)))
    .concat('--once')
  const message = await explain(new PortTakenError('taken', chain), words)
  expect(message).toMatch(/^[3-6] ports are taken\n/)
  expect(message).toMatch(new RegExp(`^ +${chain} +chain +by process ${process.pid}, `, 'm'))
  expect(message).toMatch(new RegExp(`^ +${facilitator} +facilitator +by process ${process.pid}, `, 'm'))
  const { ports, once } = readFlags(commandIn(message))
  expect(once).toBe(true)
  expect(ports.platform).toBe(platform)
  const again = await explain(new PortTakenError('taken', chain), commandIn(message))
  expect(again, 'nothing is in the way of the command').toBe('taken')
})

test('npm start in a folder with a running economy names its process and suggests a folder for a second one', async () => {
  const message = await explain(new FolderInUseError('in use', 42), ['--folder', '/some where'])
  expect(message).toMatch(/^an economy runs in \/some where\/ already, as process 42\n/)
  expect(message).toContain(`--folder '/some where-2'`)
})

test('npm start offers the chains that an economy supports', () => {
  expect(CHAIN_IDS).toEqual(LOCAL_CHAIN_IDS)
})
