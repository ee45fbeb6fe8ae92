import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DotEnvError, readDotEnv } from './read-dot-env.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-dot-env-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function refusalOf(text: string): Promise<DotEnvError> {
  await writeFile(join(folder, '.env'), text)
  const error: unknown = await readDotEnv('agent.json', {}, folder).catch((thrown: unknown) => thrown)
  if (error instanceof DotEnvError) return error
  throw new Error('it was taken')
}

describe('the .env beside a config', () => {
  test('is not required', async () => {
    expect(await readDotEnv('agent.json', {}, folder)).toBeUndefined()
  })

  test('D30 sets variables that the environment does not have; existing ones stay, even empty ones', async () => {
    await writeFile(
      join(folder, '.env'),
      [
        '\uFEFF# who is paid',
        'AGENT_WALLET_ADDRESS=0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
        'export PORT = 3001 # in the house',
        '',
        "FACILITATOR_SECRET='fs_a=b#c'\r",
        'KEY="-----BEGIN',
        'no assignment here',
        'END-----"',
        'SERVICE_DEV_MODE=true',
        'EMPTY=',
      ].join('\n'),
    )
    expect(await readDotEnv('agent.json', { SERVICE_DEV_MODE: 'false', PORT: '' }, folder)).toEqual({
      file: '.env',
      variables: {
        AGENT_WALLET_ADDRESS: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
        FACILITATOR_SECRET: 'fs_a=b#c',
        KEY: '-----BEGIN\nno assignment here\nEND-----',
        EMPTY: '',
      },
    })
  })

  test('is searched for beside the config, and named relative to the current folder', async () => {
    await mkdir(join(folder, 'agents', 'one'), { recursive: true })
    await writeFile(join(folder, 'agents', 'one', '.env'), 'PORT=1')
    const found = await readDotEnv('agents/one/agent.json', {}, folder)
    expect(found).toEqual({ file: join('agents', 'one', '.env'), variables: { PORT: '1' } })
  })

  test.each([
    ['a line without =', 'PORT=1\nAGENT_WALLET_ADDRESS 0xsentinel\nSERVICE_DEV_MODE=false', '.env:2'],
    ['a line without a name', '=sentinel', '.env:1'],
    ['a name that is none', 'MY KEY=sentinel', '.env:1'],
    ['a quote that never ends', 'A=1\n\nB="sentinel\nC=2', '.env:3'],
  ])('%s is reported without its content', async (_, text, place) => {
    const { message, hint } = await refusalOf(text)
    expect(message).toMatch(new RegExp(`^${place.replace('.', '\\.')} `))
    expect(message + hint).not.toContain('sentinel')
  })

  test('is refused when it is a folder', async () => {
    await mkdir(join(folder, '.env'))
    await expect(readDotEnv('agent.json', {}, folder)).rejects.toThrow('.env is a folder')
  })
})
