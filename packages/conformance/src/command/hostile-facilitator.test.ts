import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PAYEE, SECOND_PAYEE } from '../facilitator/trial/local-accounts.ts'
import type { ConformanceWorld } from './command-world.ts'
import { runCommand } from './run-command.ts'

const ESCAPE = '\u001b]0;gone\u0007\u001b[2J'
const KEY = `0x${'ab'.repeat(32)}`
const SUPPORTED = JSON.stringify({ kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }] })

let chain: LocalChain
let folder = ''
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  chain = await startChain()
  folder = await mkdtemp(join(tmpdir(), 'farebox-hostile-'))
})
afterAll(async () => {
  for (const close of closers) await close()
  await rm(folder, { recursive: true })
  await chain.stop()
})

async function run(
  words: readonly string[],
  world: Partial<Pick<ConformanceWorld, 'signal' | 'variables'>> = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const said = { out: '', err: '' }
  const code = await runCommand(words, {
    variables: {},
    signal: new AbortController().signal,
    folder,
    out: text => void (said.out += text),
    err: text => void (said.err += text),
    columns: 100,
    hasColours: false,
    ...world,
  })
  return { code, ...said }
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    listener(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Responds to `/supported`, and the given number of times to `/verify` with a refusal. */
function answering(supported: string, verdicts = Infinity): RequestListener {
  let asked = 0
  return (request, response) => {
    if (request.url === '/supported') return void response.end(supported)
    if ((asked += 1) > verdicts) return void request.socket.destroy()
    response.end('{"isValid":false,"invalidReason":"no","success":false,"errorReason":"no"}')
  }
}

describe('the content of /supported', () => {
  test('reaches the terminal only as addresses and networks', async () => {
    const supported = JSON.stringify({
      kinds: [`eip155:1${ESCAPE}`, 'eip155:84532'].map(network => ({ scheme: 'exact', network })),
      signers: { 'eip155:*': [`0x${ESCAPE}`, PAYEE.address] },
    })
    const words = ['--rpc-url', chain.rpcUrl, '--only', 'SR1-01']
    const { out, err } = await run(['facilitator', await serve(answering(supported)), ...words])
    expect(err).toBe('')
    expect(out).toContain(`settles on local chain (eip155:84532), from ${PAYEE.address}\n`)
    expect(out).not.toContain('\u001b')
  })

  test('does not bring escape sequences to the terminal through a network of another chain', async () => {
    const kinds = [`eip155:1${ESCAPE}`, 'eip155:8453'].map(network => ({ scheme: 'exact', network }))
    const url = await serve(answering(JSON.stringify({ kinds })))
    const { code, err } = await run(['facilitator', url, '--rpc-url', chain.rpcUrl])
    expect(code).toBe(2)
    expect(err).toMatch(/settles on eip155:8453\n/)
    expect(err).not.toContain('\u001b')
  })

  test('is reported without the body when the second response is not JSON', async () => {
    let asked = 0
    const url = await serve((_, response) => response.end((asked += 1) === 1 ? SUPPORTED : `no${ESCAPE}`))
    const { code, out, err } = await run(['facilitator', url, '--rpc-url', chain.rpcUrl])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^✗ the trial cannot begin: GET \/supported does not answer with kinds\n$/)
  })
})

describe('a facilitator that stops responding', () => {
  test('gets requests for three more cases, which are not verdicts: exit 2', async () => {
    // The requests at the start, and the two routes of one case.
    const url = await serve(answering(SUPPORTED, 3 + 2))
    const words = ['--rpc-url', chain.rpcUrl, '--only', 'SR2', '--json']
    const { code, out } = await run(['facilitator', url, ...words])
    expect(code).toBe(2)
    const document = JSON.parse(out) as { readonly rules: readonly unknown[] }
    expect(document).toMatchObject({ ok: false, stopped: { reason: 'gone', after: 'SR2-01' } })
    expect(document.rules).toHaveLength(1)
  })

  test('is not awaited after the first Ctrl-C, neither for a case nor for the end of the run', async () => {
    const stopping = new AbortController()
    let asked = 0
    const url = await serve((request, response) => {
      if (request.url === '/supported') return void response.end(SUPPORTED)
      if ((asked += 1) <= 3) return void response.end('{"isValid":false,"invalidReason":"no"}')
      // It never responds.
      stopping.abort()
    })
    const { code, out } = await run(['facilitator', url, '--rpc-url', chain.rpcUrl], {
      signal: stopping.signal,
    })
    expect({ code, asked }).toEqual({ code: 130, asked: 4 })
    expect(out).not.toMatch(/[✓✗] SR/)
  })
})

describe('the secret of a run', () => {
  test('is revoked when the trial cannot be opened, and a failed revocation does not hide the reason', async () => {
    const seen: string[] = []
    let supported = 0
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      if (request.url === '/supported')
        return (supported += 1) === 1 ? void response.end(SUPPORTED) : void request.socket.destroy()
      if (request.method === 'POST') return void response.end('{"id":"a/b","secret":"fbx_1"}')
      response.writeHead(500).end()
    })
    await writeFile(join(folder, 'token'), 'token')
    const words = ['--rpc-url', chain.rpcUrl, '--admin-token-file', 'token']
    const { code, err } = await run(['facilitator', url, ...words])
    expect(code).toBe(2)
    expect(seen).toContain('DELETE /secrets/a%2Fb')
    expect(err).toMatch(/^! the secret .* was not revoked: HTTP 500\n✗ the trial cannot begin/)
  })

  test('gives no verdict when it covers only one of two wallets: exit 2, with how to create another', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/supported') return void response.end(SUPPORTED)
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const isOther = body.includes(SECOND_PAYEE.address)
        const refusal = { isValid: false, invalidReason: 'pay_to_not_owned' }
        response.writeHead(isOther ? 403 : 200).end(JSON.stringify(isOther ? refusal : { isValid: true }))
      })
    })
    await writeFile(join(folder, 'secret'), 'fbx_1')
    const words = ['--rpc-url', chain.rpcUrl, '--secret-file', 'secret']
    const { code, out, err } = await run(['facilitator', url, ...words])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`the secret takes no payments to ${SECOND_PAYEE.address}`)
    expect(err).toMatch(/POST http:\S+\/secrets/)
  })
})

describe('--local', () => {
  const payer = { privateKey: KEY }
  let economy = ''
  beforeEach(async () => {
    economy = await mkdtemp(join(folder, 'economy-'))
    await mkdir(join(economy, 'facilitator'))
  })
  const write = async (file: object): Promise<void> =>
    await writeFile(join(economy, 'local.json'), JSON.stringify(file))

  test('does not read a pipe, which would block forever', async () => {
    await promisify(execFile)('mkfifo', [join(economy, 'local.json')])
    expect((await run(['agent', 'http://a', '--local', economy])).err).toMatch(/is not the folder of a local/)
  })

  test.each([
    ['the chain', { chain: { network: 'eip155:84532', rpcUrl: 'http://10.0.0.1:8545' }, payer }],
    [
      'the facilitator',
      {
        chain: { network: 'eip155:84532', rpcUrl: 'http://127.0.0.1:1' },
        facilitator: { url: 'https://example.com' },
        payer,
      },
    ],
  ])('is refused when %s is on another machine', async (_, file) => {
    await write(file)
    expect((await run(['agent', 'http://a', '--local', economy])).err).toMatch(/is not the folder of a local/)
  })

  test('pays on no other chain when FAREBOX_LOCAL names it', async () => {
    await write({ chain: { network: 'eip155:84532', rpcUrl: chain.rpcUrl }, payer })
    const words = ['agent', 'http://a', '--network', 'eip155:8453']
    const { code, err } = await run(words, { variables: { FAREBOX_LOCAL: economy } })
    expect(code).toBe(2)
    expect(err).toMatch(/pays on eip155:84532 alone/)
  })

  test('does not follow a link in place of the token', async () => {
    const tokens: (string | undefined)[] = []
    const url = await serve((request, response) => {
      if (request.url === '/secrets') tokens.push(request.headers.authorization)
      if (request.url === '/supported') return void response.end(SUPPORTED)
      response.writeHead(401).end('{}')
    })
    await write({ chain: { network: 'eip155:84532', rpcUrl: chain.rpcUrl }, facilitator: { url }, payer })
    await writeFile(join(folder, 'private'), 'of another')
    await symlink(join(folder, 'private'), join(economy, 'facilitator', 'admin-token'))
    const { err } = await run(['facilitator', url, '--local', economy])
    expect(tokens).toEqual([])
    expect(err).toMatch(/wants a secret/)
  })
})
