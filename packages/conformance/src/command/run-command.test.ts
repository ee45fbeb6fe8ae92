import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentMode } from '../agent/check/agent-mode.ts'
import { serveFixture } from '../serve-fixture.ts'
import { runCommand } from './run-command.ts'

/** The only payer whose payments the fixture's gate accepts. */
const PAYER_KEY = `0x${Array.from({ length: 32 }, (_, index) => (index + 1).toString(16).padStart(2, '0')).join('')}`

const DECLARATION = {
  service_version: '1.0',
  name: 'By hand',
  description: 'Says it louder.',
  wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  max_deadline_seconds: 5,
  capabilities: {
    shout: {
      description: 'The text in capitals.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { text: { type: 'string' } },
    },
  },
}

let folder = ''
const urls = new Map<AgentMode, string>()
const closers: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-conformance-'))
  for (const mode of ['dev', 'paid', 'locked'] as const) {
    const { agent } = await serveFixture(mode)
    closers.push(() => agent.close())
    urls.set(mode, `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`)
  }
})
afterAll(async () => {
  for (const close of closers) await close()
  await rm(folder, { recursive: true })
})

async function run(
  words: readonly string[],
  variables: { readonly [name: string]: string } = {},
  onOut: (stop: () => void) => void = () => undefined,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const said = { out: '', err: '' }
  const stopping = new AbortController()
  const code = await runCommand(words, {
    variables,
    folder,
    out(text) {
      said.out += text
      onOut(() => stopping.abort())
    },
    err: text => void (said.err += text),
    columns: 100,
    hasColours: false,
    signal: stopping.signal,
  })
  return { code, ...said }
}

function urlOf(mode: AgentMode): string {
  return urls.get(mode) ?? ''
}

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a conforming agent', () => {
  test.each(['dev', 'paid', 'locked'] as const)(
    'in %s mode: a line for each rule, what was skipped, exit 0',
    async mode => {
      const { code, out, err } = await run(['agent', urlOf(mode)])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toMatch(/^Conformance fixture {2}http:/)
      expect(out).toMatch(/\n {2}✓ health\/body +GET \/health answers name, version 1\.0 and status ok/)
      expect(out).toMatch(/\n {2}\d+ kept, 0 broken, \d+ skipped\n/)
      expect(out).toMatch(/skipped {2}need to know an agent from the inside: .*startRun/)
      expect(out).not.toMatch(/[✗–] /)
    },
  )

  test('gets no payment by default, and the output says how to enable it', async () => {
    const { out } = await run(['agent', urlOf('paid')], { FAREBOX_PRIVATE_KEY: PAYER_KEY })
    expect(out).toMatch(/\d+ skipped {2}need a payment: --max-price <usdc> with --key-file <file>/)
    expect(out).not.toMatch(/USDC in all/)
  })

  test('is also checked for delivered jobs when a key and a price are given, and the output shows what was paid', async () => {
    await writeFile(join(folder, 'key'), `${PAYER_KEY}\n`)
    for (const [words, variables] of [
      [['--key-file', 'key'], {}],
      [[], { FAREBOX_PRIVATE_KEY: PAYER_KEY }],
    ] as const) {
      const { code, out } = await run(
        ['agent', urlOf('paid'), '--max-price', '0.01', '--only', 'output,idempotency', ...words],
        variables,
      )
      expect(code).toBe(0)
      expect(out).toMatch(/✓ output\/schema/)
      expect(out).toMatch(/\d payments? signed, 0\.00\d USDC in all; charged: 0x/)
      expect(out).not.toMatch(/need a payment/)
    }
  })

  test('is reported with the skipped rules under --verbose', async () => {
    const { out } = await run(['agent', urlOf('paid'), '--only', 'output', '--verbose'])
    expect(out).toMatch(/\n {2}– output\/schema +.*: it needs a payer\n/)
  })

  test('is reported as one JSON document with every rule, including the skipped ones, under --json', async () => {
    const { code, out } = await run(['agent', urlOf('dev'), '--only', 'health,deadline', '--json'])
    expect(code).toBe(0)
    const document: unknown = JSON.parse(out)
    expect(document).toMatchObject({
      ok: true,
      agent: { url: urlOf('dev'), name: 'Conformance fixture' },
      mode: 'dev',
      stopped: null,
      counts: { broken: 0 },
      spent: null,
    })
    expect(document).toHaveProperty(
      'rules',
      expect.arrayContaining([
        expect.objectContaining({ id: 'health/body', area: 'health', outcome: 'kept' }),
        expect.objectContaining({ outcome: 'skipped', why: expect.stringMatching(/fixture/) as string }),
      ]),
    )
  })
})

describe('an agent that does not conform', () => {
  test('gets a report of each broken rule with its fix, exit 1', async () => {
    const url = await serve((request, response) => {
      void fetch(urlOf('dev') + (request.url ?? '/'), { method: request.method ?? 'GET' }).then(
        async answer => {
          const text = (await answer.text()).replace('"status":"ok"', '"status":"up"')
          response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
        },
      )
    })
    const { code, out } = await run(['agent', url, '--only', 'health'])
    expect(code).toBe(1)
    expect(out).toMatch(/\n {2}✗ health\/body +expected status ok, got up\n/)
    expect(out).toMatch(/fix {7}Answer \{"name"/)
    expect(out).toMatch(/\n {2}\d kept, 1 broken\n/)
    const json = await run(['agent', url, '--only', 'health', '--json'])
    expect(json.code).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, counts: { broken: 1 } })
  })
})

describe('an agent that was not built with Farebox', () => {
  /** A server as a developer might write it by hand after reading half of the interface. */
  const byHand: RequestListener = (request, response) => {
    const answer = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/health') return answer(200, { name: 'By hand', version: '1.0', status: 'ok' })
    if (request.url === '/about') return answer(200, DECLARATION)
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    request.on('end', () => {
      try {
        const { job_id, task } = JSON.parse(text) as { job_id: unknown; task: { input: { text: string } } }
        const output = { text: task.input.text.toUpperCase() }
        const completed_at = Math.floor(Date.now() / 1_000)
        answer(200, { status: 'completed', job_id, output, completed_at, service_version: '1.0' })
      } catch {
        answer(400, { error: 'bad request' })
      }
    })
  }

  test('is checked completely with all rules that can be checked from outside', async () => {
    const { code, out, err } = await run(['agent', await serve(byHand), '--timeout', '2'])
    expect({ code, err }).toEqual({ code: 1, err: '' })
    const [, kept, broken] = /\n {2}(\d+) kept, (\d+) broken, \d+ skipped\n/.exec(out) ?? []
    expect({ kept: Number(kept) > 20, broken: Number(broken) > 20 }).toEqual({ kept: true, broken: true })
    expect(out).toMatch(/✓ health\/body/)
    expect(out).toMatch(/✗ routes\/unknown \/nope +expected 404/)
  })

  test('gets no more requests when it no longer responds: the known results are shown, exit 2', async () => {
    let asked = 0
    const url = await serve((request, response) => {
      if ((asked += 1) > 12) return void request.socket.destroy()
      const { url: path = '', method = 'GET' } = request
      void fetch(urlOf('dev') + path, { method }).then(async answer => {
        const headers = { 'content-type': answer.headers.get('content-type') ?? '' }
        response.writeHead(answer.status, headers).end(await answer.text())
      })
    })
    const { code, out } = await run(['agent', url, '--only', 'health,about', '--timeout', '2'])
    expect(out).toMatch(/the agent answers no more since (?:health|about)\//)
    expect(code).toBe(2)
  })

  test('is reported with the known results after Ctrl-C, exit 130', async () => {
    const { code, out } = await run(['agent', urlOf('dev')], {}, stop => stop())
    expect(code).toBe(130)
    expect(out).toMatch(/ {2}interrupted\n$/)
  })
})

describe('a server that is not an agent or a facilitator', () => {
  test('is described in one sentence when it is a plain server, exit 2', async () => {
    const url = await serve((_, response) => response.end('hello'))
    const agent = await run(['agent', url])
    expect(agent).toMatchObject({ code: 2, out: '' })
    expect(agent.err).toMatch(/^✗ what answers at http:\S+ is no agent: neither \/health nor \/about answers/)
    const facilitator = await run(['facilitator', url, '--rpc-url', url])
    expect(facilitator).toMatchObject({ code: 2, out: '' })
    expect(facilitator.err).toMatch(/^✗ what answers at http:\S+ is no facilitator: GET \/supported/)
  })

  test('gets no further request when it redirects', async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: '/login' }).end())
    const { code, err } = await run(['agent', url])
    expect(code).toBe(2)
    expect(err).toMatch(/redirects to \/login/)
  })

  test('leads to exit 2, and with --json to a document, when no server listens', async () => {
    const url = 'http://127.0.0.1:1'
    for (const subject of ['agent', 'facilitator']) {
      const { code, out, err } = await run([subject, url, '--json'])
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/cannot be reached/) as string })
      expect(JSON.parse(out)).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/cannot be reached/) as string },
      })
    }
  })

  test('is refused when it is a facilitator without a known chain, or on another chain', async () => {
    const kinds = [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }]
    const url = await serve((_, response) => response.end(JSON.stringify({ kinds })))
    expect((await run(['facilitator', url])).err).toMatch(/judged by the chain as well.*\n.*--rpc-url/)
    const node = await serve((_, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x2105"}'))
    const { code, err } = await run(['facilitator', url, '--rpc-url', node])
    expect(code).toBe(2)
    expect(err).toMatch(/no local test chain: its node signs for none of the test accounts/)
  })
})

describe('words', () => {
  test.each([[['--help']], [['agent', '--help']], [['facilitator', 'http://x', '-h']]])(
    '%j prints the help, exit 0',
    async words => {
      const { code, out } = await run(words)
      expect({ code, isHelp: /Exit codes/.test(out) }).toEqual({ code: 0, isHelp: true })
    },
  )

  test.each([
    [[], /farebox-conformance agent <url>/],
    [['agents'], /no command "agents"/],
    [['agent'], /which agent\?/],
    [['agent', 'localhost:8080'], /is no URL/],
    [['agent', 'http://a', 'http://b'], /one agent at a time/],
    [['agent', 'http://me:pass@a'], /must not carry credentials/],
    [['agent', 'http://a', '--only', 'halth'], /no area or check "halth"/],
    [['agent', 'http://a', '--paid'], /'--paid'/],
    [['agent', 'http://a', '--timeout', '0'], /whole number from 1 to 600/],
    [['agent', 'http://a', '--max-price', '1e3'], /--max-price/],
    [['agent', 'http://a', '--max-price', '1'], /nobody does/],
    [['agent', 'http://a', '--network', 'base'], /is no network/],
    [['agent', 'http://a', '--key-file', 'none'], /not how much/],
    [['agent', 'http://a', '--key-file', 'none', '--max-price', '1'], /none cannot be read \(ENOENT\)/],
    [['agent', 'http://a', '--local', '.'], /is not the folder of a local economy/],
    [['agent', 'http://a', '--local', '.', '--network', 'eip155:84532'], /leave --network out/],
    [['agent', 'http://a', '--local', '.', '--key-file', 'key'], /leave one of them out/],
    [['facilitator', 'http://a', '--only', 'SR9'], /no case begins with "SR9"/],
    [['facilitator', 'http://a', '--only', 'SR8'], /what was sent for all other cases/],
    [['facilitator', 'http://a', '--pay-to', '0x1'], /must be two addresses/],
    [['facilitator', 'http://a', '--rpc-url', 'node'], /must be the URL of a node/],
  ])('%j is refused, exit 2', async (words, message) => {
    const { code, out, err } = await run(words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
  })

  test.each([
    [['agent', 'http://a', PAYER_KEY]],
    [['agent', PAYER_KEY.slice(2)]],
    [[PAYER_KEY]],
    [['agent', 'https://a', '--max-price', '1', '--key-file', PAYER_KEY]],
    [['facilitator', 'http://a', `--secret-file=${PAYER_KEY}`]],
  ])('a key among them is not repeated', async words => {
    const { code, out, err } = await run(words)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/look like a private key/)
    expect(err).not.toContain(PAYER_KEY.slice(4, 20))
  })

  test('cannot move the cursor', async () => {
    for (const words of [['\u001b[2J'], ['agent', '\u001b[2J'], ['agent', 'http://a', '\u001b[2J']])
      expect((await run(words)).err).not.toContain('\u001b')
  })

  test('cannot enable payments over plain http', async () => {
    const { code, err } = await run(['agent', 'http://a', '--max-price', '1'], {
      FAREBOX_PRIVATE_KEY: PAYER_KEY,
    })
    expect(code).toBe(2)
    expect(err).toMatch(/over plain http/)
  })

  test('never make the output show a key, whatever is wrong with it', async () => {
    const { code, err } = await run(['agent', 'https://a', '--max-price', '1'], {
      FAREBOX_PRIVATE_KEY: PAYER_KEY.slice(0, -1),
    })
    expect(code).toBe(2)
    expect(err).toMatch(/FAREBOX_PRIVATE_KEY holds no private key/)
    expect(err).not.toContain(PAYER_KEY.slice(4, 20))
  })
})
