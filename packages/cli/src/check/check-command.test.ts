import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAgent, createLog, readConfig, type Agent } from 'farebox'
import { fixtureDeclaration } from '@farebox/conformance/agent'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../testing/test-world.ts'
import { createWrongAgents } from '../testing/wrong-agent.ts'
import type { CheckDocument } from './check-document.ts'

const agents = createWrongAgents()
const closers: (() => unknown)[] = []
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-check-'))
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})
afterAll(async () => {
  await agents.close()
  await rm(folder, { recursive: true })
})

/** The only payer whose payments the right agent's gate accepts. */
const PAYER_KEY = `0x${Array.from({ length: 32 }, (_, index) => (index + 1).toString(16).padStart(2, '0')).join('')}`

interface Checked extends TestWorld {
  readonly code: number
}

async function check(words: readonly string[], options: Partial<TestWorldOptions> = {}): Promise<Checked> {
  const stage = createTestWorld({ folder, variables: { FAREBOX_PRIVATE_KEY: PAYER_KEY }, ...options })
  return { ...stage, code: await runCli(['check', ...words], stage.world) }
}

async function checkJson(
  words: readonly string[],
  options: Partial<TestWorldOptions> = {},
): Promise<{ readonly code: number; readonly document: CheckDocument }> {
  const { code, out } = await check([...words, '--json'], options)
  return { code, document: JSON.parse(out()) as CheckDocument }
}

async function listen(server: TcpServer): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const serve = async (listener: RequestListener): Promise<string> => await listen(createServer(listener))
const ABOUT = JSON.stringify({ ...fixtureDeclaration, wallet: '0x00000000000000000000000000000000000fa4e0' })
const HEALTH = '{"name":"Conformance fixture","version":"1.0","status":"ok"}'

describe('an agent of ours fails no check', () => {
  test.each([
    ['dev', 'dev mode: payments are off, every job is free'],
    ['paid', 'paid mode: jobs are paid for on Base Sepolia (eip155:84532)'],
    ['locked', 'paid mode without its FACILITATOR_SECRET: it asks for payment and takes none'],
  ] as const)('in %s mode', async (mode, words) => {
    const url = await agents.serveRight(mode)
    const { code, out, err } = await check([url])
    expect(out()).toContain(`Conformance fixture   ${url}\n${words}\n`)
    expect(out()).toMatch(/\n {2}✓ health {13}6 passed\n {2}✓ about /)
    expect(out()).toMatch(/\n {2}\d{3} passed, 0 failed(?:, \d+ need --paid)?\n/)
    expect(out()).not.toContain('✗')
    expect(err()).not.toContain('!')
    expect(code).toBe(0)
  })

  test('an agent of ours passes every check in paid mode', async () => {
    const url = await agents.serveRight('paid')
    const { code, document } = await checkJson([url, '--paid', '--max-price', '0.002'])
    expect(document).toMatchObject({
      ok: true,
      mode: 'paid',
      stopped: null,
      counts: { failed: 0, needPaid: 0, notAsked: 0 },
    })
    expect(document.spent?.transactions).toHaveLength(1)
    expect(document.spent?.payments).toBeLessThanOrEqual(3)
    expect(code).toBe(0)
  })

  test.each(['first-agent', 'qr-code', 'summary', 'text-statistics'])('example %s', async name => {
    const place = new URL(`../../../../examples/${name}/`, import.meta.url)
    const { default: handlers } = (await import(fileURLToPath(new URL('handlers.ts', place)))) as {
      default: Parameters<typeof createAgent>[0]['handlers']
    }
    const agent: Agent = await createAgent({
      declaration: await readConfig(fileURLToPath(new URL('agent.json', place))),
      handlers,
      variables: {
        SERVICE_DEV_MODE: 'true',
        AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e0',
        SERVICE_STORE: 'memory:',
      },
      ports: { log: createLog({ format: 'text', write: () => undefined, nowMs: () => 0 }) },
    })
    closers.push(() => agent.close())
    const port = await agent.listen({ port: 0, host: '127.0.0.1' })
    const { document } = await checkJson([`http://127.0.0.1:${port}`])
    expect(document.results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(document.results.filter(({ outcome }) => outcome === 'not asked').map(({ why }) => why)).toEqual(
      document.results.filter(({ why }) => why?.startsWith('no field of')).map(({ why }) => why),
    )
  })
})

describe('one sentence says why an agent cannot be checked:', () => {
  test('no process listens', async () => {
    const server = createServer()
    const url = await listen(server)
    await closers.pop()?.()
    const { code, err, out } = await check([url])
    expect(err()).toBe(
      `  asking ${url} …\n✗ ${url} cannot be reached: nothing listens there (ECONNREFUSED)\n  is it running? farebox dev starts it\n`,
    )
    expect([code, out()]).toEqual([1, ''])
    expect(JSON.parse((await check([url, '--json'])).out())).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('nothing listens there') },
    })
  })

  test('it redirects', async () => {
    const url = await serve((_, answer) =>
      answer.writeHead(301, { location: 'https://www.x.example/health' }).end(),
    )
    const { code, err } = await check([url])
    expect(err()).toContain(
      `✗ ${url} redirects to https://www.x.example/health, and callers follow no redirects`,
    )
    expect(err()).toContain('farebox check https://www.x.example\n')
    expect(code).toBe(1)
  })

  test('the server does not speak TLS', async () => {
    const url = await serve((_, answer) => answer.end())
    expect((await check([url.replace('http:', 'https:')])).err()).toContain('it does not speak TLS')
  })

  test('the server does not speak HTTP', async () => {
    const url = await listen(createTcpServer(socket => socket.end('SSH-2.0-OpenSSH\r\n')))
    expect((await check([url])).err()).toContain('what answers does not speak HTTP')
  })

  test('the server never answers', async () => {
    const url = await listen(createTcpServer())
    expect((await check([url, '--timeout', '0.5'])).err()).toContain(`✗ ${url} has not answered for 1 s`)
  })
})

describe('a run ends', () => {
  test('a web site ends the run', async () => {
    const url = await serve((_, answer) =>
      answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hi</title>'),
    )
    const { code, out } = await check([url])
    expect(out()).toContain('An agent whose /about is no declaration')
    expect(out()).toContain('got       200 <!doctype html><title>Hi</title>')
    expect(out()).toMatch(
      /\n {2}\d+ of \d{3} put\n {2}neither \/health nor \/about answers as an agent does: is this the address/,
    )
    expect(out()).not.toContain('/execute')
    expect(out().split('\n').length).toBeLessThan(60)
    expect(code).toBe(1)
    const { document } = await checkJson([url])
    expect(document.stopped?.reason).toBe('no agent')
  })

  test.each([
    ['/about', ABOUT],
    ['/health', HEALTH],
  ])('the run completes when only %s shows that it is an agent', async (path, text) => {
    const url = await serve((request, answer) => {
      if (request.url === path) answer.end(text)
      else answer.writeHead(404).end()
    })
    const { code, document } = await checkJson([url])
    expect([code, document.stopped]).toEqual([1, null])
  })

  test('an agent that never answers /execute ends the run', async () => {
    const url = await serve((request, answer) => {
      if (request.url === '/about') answer.end(ABOUT)
      else if (request.url !== '/execute') answer.end(HEALTH)
    })
    const { code, document } = await checkJson([
      url,
      '--timeout',
      '0.4',
      '--only',
      'health,payment-required,unpaid',
    ])
    expect(document.stopped?.reason).toBe('slow')
    expect(code).toBe(1)
  })

  test('an agent that answers byte by byte ends the run', async () => {
    const url = await serve((_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => answer.write(' '), 100)
      answer.on('close', () => clearInterval(timer))
    })
    const { code, document } = await checkJson([url, '--timeout', '0.4', '--only', 'health,about'])
    expect(document).toMatchObject({ ok: false, stopped: { reason: 'slow', after: null } })
    expect(code).toBe(1)
  })

  test('an agent that a request has crashed ends the run, which names the request', async () => {
    const url = await serve((request, answer) => {
      if (request.method === 'PUT') for (const close of closers.splice(0)) void close()
      else answer.end(request.url === '/about' ? ABOUT : HEALTH)
    })
    const { code, out } = await check([url, '--only', 'routes,cors'])
    expect(out()).toContain('no answer since "POST /health answers 405 with Allow: GET"')
    expect(out()).not.toContain('A browser may read')
    expect(code).toBe(1)
  })

  test('Ctrl-C ends the run and shows what is known so far', async () => {
    const aborter = new AbortController()
    const url = await serve((request, answer) => {
      if (request.method === 'OPTIONS') aborter.abort()
      else answer.end(request.url === '/about' ? ABOUT : HEALTH)
    })
    const { code, out } = await check([url, '--only', 'health,cors'], { signal: aborter.signal })
    expect(out()).toContain('health')
    expect(out()).toMatch(/\n {2}8 of 14 put\n {2}interrupted\n/)
    expect(code).toBe(130)
  })
})

// eslint-disable-next-line no-control-regex -- they are what is looked for
const MOVES_THE_CURSOR = /[\u0000-\u0009\u000b-\u001f\u202e]/

describe('the report', () => {
  test('shows the agent’s text without letting it move the cursor', async () => {
    const hostile = '\u001b[2J\u202e\r\nforged'
    const url = await agents.serve('dev', async (asked, forward) => {
      const answered = await forward(asked)
      return {
        ...answered,
        text: answered.text.replaceAll('Conformance fixture', JSON.stringify(hostile).slice(1, -1)),
      }
    })
    const plain = await check([url, '--only', 'health,about,routes'])
    expect(plain.out()).toContain('·[2J···forged')
    expect(plain.everything()).not.toMatch(MOVES_THE_CURSOR)
    const json = await check([url, '--only', 'health', '--json'])
    expect(json.out()).not.toMatch(MOVES_THE_CURSOR)
  })

  test('--quiet prints the failures and the count', async () => {
    const url = await agents.serveRight('dev')
    expect((await check([url, '--quiet', '--only', 'health'])).out()).toBe('  6 passed, 0 failed\n')
    const wrong = await agents.serve('dev', async (asked, forward) => {
      const answered = await forward(asked)
      return { ...answered, text: answered.text.replace('"ok"', '"up"') }
    })
    const { out, code } = await check([wrong, '--quiet', '--only', 'health'])
    expect(out()).toBe(`      ✗ GET /health answers name, version 1.0 and status ok, and nothing else
        rule      interface Health response, D33
        expected  status ok
        got       up
        fix       Answer {"name": <agent name>, "version": "1.0", "status":
                  "ok"} with status 200.

  5 passed, 1 failed
`)
    expect(code).toBe(1)
  })

  test('--verbose names every check that passed', async () => {
    const { out } = await check([await agents.serveRight('dev'), '--verbose', '--only', 'health'])
    expect(out()).toContain('      ✓ GET /health and GET /about give the same name\n')
  })

  test('on a terminal, a line shows the progress and is removed at the end', async () => {
    const { err, out } = await check([await agents.serveRight('dev'), '--only', 'health'], { live: true })
    const lines = err().split('\r\u001b[2K')
    expect(lines.some(line => line.includes('3 of 6  health: GET /health is sent as application/json'))).toBe(
      true,
    )
    expect(lines.at(-1)).toBe('')
    expect(out()).toContain('\u001b[32m✓\u001b[39m health')
  })
})

describe('--paid', () => {
  test('asks, names the maximum cost, and signs nothing if the answer is no', async () => {
    const url = await agents.serveRight('paid')
    const no = await check([url, '--paid'], { answers: [false] })
    expect(no.questions).toEqual(['Pay up to 0.01 USDC?'])
    expect(no.err()).toContain('at most  0.01 USDC: 5 payments of up to 0.002; a correct agent charges one')
    expect(no.err()).toContain('✗ not paid')
    expect(no.code).toBe(1)
    const yes = await check([url, '--paid', '--max-jobs', '3'], { answers: [true] })
    expect(yes.questions).toEqual(['Pay up to 0.006 USDC?'])
    expect(yes.out()).toMatch(/\d payments signed, 0\.00\d USDC in all; charged: 0x[0-9a-f]{64}\n/)
    expect(yes.code).toBe(0)
    expect(yes.everything()).not.toContain(PAYER_KEY.slice(2))
  })

  test('signs no more payments than the limit', async () => {
    const { document } = await checkJson([
      await agents.serveRight('paid'),
      '--paid',
      '--max-price',
      '0.01',
      '--max-jobs',
      '1',
    ])
    expect(document.spent).toMatchObject({ payments: 1, atMost: '0.002' })
    expect(document.counts.needPaid).toBeGreaterThan(0)
  })

  test.each([
    [
      ['--paid'],
      /^✗ echo costs 0\.002 USDC, and there is no terminal to confirm it on\n {2}--max-price 0\.002/m,
      2,
    ],
    [
      ['--paid', '--max-price', '0.001'],
      /^✗ echo costs 0\.002 USDC, more than the 0\.001 of --max-price/m,
      1,
    ],
    [
      ['--paid', '--max-price', '1', '--network', 'eip155:1'],
      /^✗ the agent is paid on eip155:84532, not on/m,
      1,
    ],
  ])('%j is refused before anything is signed', async (words, message, exitCode) => {
    const { code, err } = await check([await agents.serveRight('paid'), ...words])
    expect(err()).toMatch(message)
    expect(code).toBe(exitCode)
  })

  test('needs a key', async () => {
    const { code, err } = await check([await agents.serveRight('paid'), '--paid', '--max-price', '1'], {
      variables: {},
    })
    expect(err()).toContain('✗ there is no wallet to pay from')
    expect(code).toBe(1)
  })

  test('pays nothing in dev mode', async () => {
    const { code, err, out } = await check([await agents.serveRight('dev'), '--paid'], { variables: {} })
    expect(err()).toContain('  nothing is paid: dev mode: payments are off, every job is free\n')
    expect(out()).toContain(' passed, 0 failed\n')
    expect(code).toBe(0)
  })
})

describe('words that it does not understand', () => {
  test.each([
    [[], /whose agent\?/],
    [['localhost:3000'], /with its scheme: http:\/\/localhost:3000/],
    [['agent.example'], /with its scheme: https:\/\/agent\.example/],
    [['ftp://agent.example'], /is not the URL of an agent/],
    [['http://10.0.0.1', '--paid'], /must be https/],
    [['https://u:p@agent.example'], /must not carry credentials/],
    [['http://localhost:1', '--only', 'helth'], /no area or check "helth", did you mean health\?/],
    [['http://localhost:1', '--only', ','], /--only names nothing/],
    [['http://localhost:1', '--max-price', '1'], /add --paid/],
    [['http://localhost:1', '--paid', '--max-price', '0,01'], /--max-price: must be a decimal/],
    [['http://localhost:1', '--paid', '--max-jobs', '0'], /--max-jobs: must be a whole number/],
    [
      ['http://localhost:1', '--timeout', 'soon'],
      /--timeout: must be a number of seconds, more than 0 and at most 600/,
    ],
    [['http://localhost:1', '--quiet', '--verbose'], /take one of them/],
  ])('%j', async (words, message) => {
    const { code, err } = await check(words)
    expect(err()).toMatch(message)
    expect(code).toBe(2)
  })
})

test('--list names areas and checks with their rules', async () => {
  const { code, out } = await check(['--list'])
  expect(out()).toMatch(
    /^health {2}6 checks\n {2}GET \/health answers name.* {2}interface Health response, D33\n/,
  )
  expect(code).toBe(0)
  const listed = JSON.parse((await check(['--list', '--json', '--only', 'about'])).out()) as readonly object[]
  expect(listed[0]).toMatchObject({ id: 'about/keys', area: 'about', rules: ['interface GET /about', 'D29'] })
})
