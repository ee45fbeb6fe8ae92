import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { verifyMessage, type Hex } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { lightKeystore } from '../testing/light-keystore.ts'
import { createTestWorld, type TestWorldOptions } from '../testing/test-world.ts'

const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const ADDRESS = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const PASSWORD = 'correct horse'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-sign-'))
  await writeFile(join(folder, 'me.json'), await lightKeystore(await loadEvmCrypto(), KEY, PASSWORD))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function run(words: readonly string[], options: Partial<TestWorldOptions> = {}) {
  const made = createTestWorld({ folder, variables: { FAREBOX_WALLET_PASSWORD: PASSWORD }, ...options })
  const code = await runCli(words, made.world)
  return { code, out: made.out(), err: made.err(), questions: made.questions }
}

describe('farebox wallet sign', () => {
  test('signs a text as wallets do, with the password of the wallet', async () => {
    const message = 'this is mine\nand this — too'
    const { code, out, err } = await run(['wallet', 'sign', message, '--wallet', './me.json', '--yes'])
    expect(code).toBe(0)
    expect(err).toContain('    this is mine\n    and this — too\n')
    expect(await verifyMessage({ address: ADDRESS, message, signature: out.trim() as Hex })).toBe(true)
    expect(out + err).not.toContain(KEY.slice(2))
  })

  test('signs the bytes of the standard input unchanged', async () => {
    const message = 'a line\n'
    const words = ['wallet', 'sign', '-', '--wallet', './me.json', '--yes', '--json']
    const { code, out } = await run(words, { input: message })
    expect(code).toBe(0)
    const signed = JSON.parse(out) as { readonly signature: Hex }
    expect(signed).toMatchObject({ address: ADDRESS, message })
    expect(await verifyMessage({ address: ADDRESS, message, signature: signed.signature })).toBe(true)
  })

  test('shows the text and asks; without a terminal it needs --yes', async () => {
    const words = ['wallet', 'sign', 'mine', '--wallet', './me.json']
    expect(await run(words)).toMatchObject({ code: 2, out: '' })
    expect(await run(words, { answers: [false] })).toMatchObject({
      code: 1,
      out: '',
      questions: ['Sign it?'],
    })
  })

  test('a wrong password signs nothing', async () => {
    const variables = { FAREBOX_WALLET_PASSWORD: 'wrong horse' }
    const { code, out, err } = await run(['wallet', 'sign', 'x', '--wallet', './me.json', '--yes'], {
      variables,
    })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('wrong password')
  })
})

describe('farebox wallet export', () => {
  test('writes the key into a new file that only its owner can read', async () => {
    const { code, out, err } = await run(['wallet', 'export', './me.json', '--to', 'key.txt'])
    expect({ code, out }).toEqual({ code: 0, out: '' })
    expect(err).not.toContain(KEY.slice(2))
    const path = join(folder, 'key.txt')
    expect(await readFile(path, 'utf8')).toBe(`${KEY}\n`)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('overwrites no file', async () => {
    await writeFile(join(folder, 'key.txt'), 'mine')
    const { code, err } = await run(['wallet', 'export', './me.json', '--to', 'key.txt'])
    expect(code).toBe(2)
    expect(err).toContain('is there already')
    expect(await readFile(join(folder, 'key.txt'), 'utf8')).toBe('mine')
  })

  test('prints it only on request, after a question if there is a terminal', async () => {
    expect(await run(['wallet', 'export', './me.json'])).toMatchObject({ code: 2, out: '' })
    expect(await run(['wallet', 'export', './me.json', '--print'])).toMatchObject({
      code: 0,
      out: `${KEY}\n`,
    })
    const asked = await run(['wallet', 'export', './me.json', '--print'], { answers: [false] })
    expect(asked).toMatchObject({ code: 1, out: '' })
  })

  test('a wrong password exports nothing', async () => {
    const variables = { FAREBOX_WALLET_PASSWORD: 'wrong horse' }
    const { code, out } = await run(['wallet', 'export', './me.json', '--print'], { variables })
    expect({ code, out }).toEqual({ code: 1, out: '' })
  })
})
