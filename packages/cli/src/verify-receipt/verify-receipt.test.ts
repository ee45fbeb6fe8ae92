import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashJobId, hashJson, signReceipt, type Receipt } from '@farebox/platform-api/receipt'
import type { SigningKey } from '@farebox/platform-api/receipt-keys'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { createTestWorld, type TestWorldOptions } from '../testing/test-world.ts'

const JOB_ID = '5f0c6a3e-9c1b-4d3a-8f2e-2b7c1d9e91aa'

let folder: string
let key: SigningKey
let statement: Receipt

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-receipt-'))
  key = await newKey('2026-a', 'keys.json')
  statement = {
    v: 1,
    iss: 'https://platform.example',
    job: await hashJobId(JOB_ID),
    agent_id: 7,
    endpoint: 'https://agent.example',
    capability: 'count',
    input: await hashJson({ text: 'one two' }),
    output: await hashJson({ words: 2 }),
    amount: '0.002',
    amount_atomic: '2000',
    asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    network: 'eip155:84532',
    payer: `0x${'ab'.repeat(20)}`,
    pay_to: `0x${'cd'.repeat(20)}`,
    transaction: `0x${'ef'.repeat(32)}`,
    completed_at: 1_795_000_000,
    iat: 1_795_000_001,
  }
  await writeFile(join(folder, 'receipt.jws'), `${await signReceipt(statement, key)}\n`)
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** A key of a platform, its public part kept as the platform would publish it. */
async function newKey(keyId: string, file: string): Promise<SigningKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: keyId }]
  await writeFile(join(folder, file), JSON.stringify({ keys }))
  return { keyId, privateJwk: privateKey.export({ format: 'jwk' }) }
}

async function run(words: readonly string[], options: Partial<TestWorldOptions> = {}) {
  const { world, out, err } = createTestWorld({ folder, ...options })
  return { code: await runCli(['verify-receipt', ...words], world), out: out(), err: err() }
}

const KEYS = ['--keys', 'keys.json'] as const

describe('farebox verify-receipt', () => {
  test('shows what a receipt states, and that it is valid and who signed it', async () => {
    const { code, out } = await run(['receipt.jws', ...KEYS])
    expect(out).toBe(
      [
        'agent        7  https://agent.example',
        'capability   count',
        'amount       0.002 USDC on Base Sepolia (eip155:84532)',
        `payer        ${statement.payer}`,
        `paid to      ${statement.pay_to}`,
        `transaction  ${statement.transaction}`,
        `job          sha256 ${statement.job}`,
        `input        sha256 ${statement.input}`,
        `output       sha256 ${statement.output}`,
        'completed    2026-11-18 11:06:40 UTC',
        'signed       2026-11-18 11:06:41 UTC',
        '',
        '✓ valid, signed by https://platform.example',
        '',
      ].join('\n'),
    )
    expect(code).toBe(0)
  })

  test('reads the receipt from the standard input, and answers one JSON document', async () => {
    const input = await signReceipt(statement, key)
    const { code, out } = await run(['-', ...KEYS, '--json'], { input })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      ok: true,
      valid: true,
      key_id: '2026-a',
      receipt: statement,
      compared: {},
    })
  })

  test('also accepts a platform’s answer that contains a receipt', async () => {
    const input = JSON.stringify({ status: 'completed', receipt: await signReceipt(statement, key) })
    expect((await run(['-', ...KEYS], { input })).code).toBe(0)
    expect(await run(['-', ...KEYS], { input: '{"receipt":null}' })).toMatchObject({ code: 1 })
  })

  test('compares input, output and job: key order and spaces do not matter, values do', async () => {
    await writeFile(join(folder, 'input.json'), '{ "text" : "one two" }\n')
    await writeFile(join(folder, 'output.json'), '{"words": 3}')
    const words = ['receipt.jws', ...KEYS, '--input', 'input.json', '--job', JOB_ID.toUpperCase()]
    const good = await run(words)
    expect(good.code).toBe(0)
    expect(good.out).toContain('✓ the job is the one of the receipt\n✓ the input is the one of the receipt\n')
    const bad = await run([...words, '--output', 'output.json'])
    expect(bad.code).toBe(1)
    expect(bad.out).toMatch(
      /✓ the input is the one of the receipt\n✗ the output is another than that of the receipt\n$/,
    )
    expect(JSON.parse((await run([...words, '--output', 'output.json', '--json'])).out)).toMatchObject({
      ok: false,
      valid: true,
      compared: { job: true, input: true, output: false },
    })
  })

  test('a changed receipt, and one signed by another key, are not valid: exit code 1', async () => {
    const [header, payload, signature] = (await signReceipt(statement, key)).split('.')
    const cheap = Buffer.from(JSON.stringify({ ...statement, amount: '9' })).toString('base64url')
    expect(payload).not.toBe(cheap)
    const changed = await run(['-', ...KEYS], { input: `${header}.${cheap}.${signature}` })
    expect(changed).toMatchObject({ code: 1, out: '' })
    expect(changed.err).toContain('✗ not valid: the signature does not fit what is stated')
    await newKey('2026-b', 'others.json')
    const foreign = await run(['receipt.jws', '--keys', 'others.json', '--json'])
    expect(foreign.code).toBe(1)
    expect(JSON.parse(foreign.out)).toMatchObject({
      ok: false,
      valid: false,
      reason: expect.stringContaining('key'),
    })
  })

  test('text of an agent in a receipt does not move the cursor', async () => {
    const capability = 'count\u001b[2J\u202e'
    const { out } = await run(['-', ...KEYS], { input: await signReceipt({ ...statement, capability }, key) })
    expect(out).toContain('count·[2J·')
  })

  test('keys from a URL on this machine are fetched; plain http from elsewhere is refused', async () => {
    const server = createServer((request, response) => {
      const isThere = request.url === '/.well-known/jwks.json'
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' })
      response.end(isThere ? JSON.stringify({ keys: [publicOf(key)] }) : '{}')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const keys = `${base}/.well-known/jwks.json`
    const own = await signReceipt({ ...statement, iss: base }, key)
    expect((await run(['-', '--keys', keys], { input: own })).code).toBe(0)
    expect(await run(['receipt.jws', '--keys', keys])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`by https://platform.example, and these are the keys of ${base}`),
    })
    const named = ['--issuer', 'https://platform.example']
    expect((await run(['receipt.jws', '--keys', keys, ...named])).code).toBe(0)
    expect((await run(['receipt.jws', '--keys', `${base}/none`])).err).toContain('is HTTP 404')
    const plain = await run(['receipt.jws', '--keys', 'http://platform.example/jwks.json'])
    expect(plain).toMatchObject({ code: 2, err: expect.stringContaining('--keys: must be https') })
    await new Promise(resolve => server.close(resolve))
  })

  test.each([
    ['no --keys', ['receipt.jws'], 2, 'whose signature should it be?'],
    ['no such file', ['none.jws', ...KEYS], 1, 'the receipt: none.jws cannot be read (ENOENT)'],
    ['keys that are no JSON', ['receipt.jws', '--keys', 'receipt.jws'], 1, '--keys: the file is not JSON'],
    ['no receipt', ['keys.json', ...KEYS], 1, '✗ not valid: '],
  ] as const)('%s', async (_, words, expected, message) => {
    const { code, err } = await run(words)
    expect(code).toBe(expected)
    expect(err).toContain(message)
  })
})

function publicOf({ privateJwk, keyId }: SigningKey): object {
  const { kty, crv, x } = privateJwk
  return { kty, crv, x, kid: keyId }
}
