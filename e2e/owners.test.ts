import { createHmac } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import type { PlatformProcess } from '@farebox/local/src/start-platform-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCli, type CliRun } from './stage/run-cli.ts'
import { setStage, type Stage } from './stage/stage.ts'

const OWNER = TEST_KEYS.agent

let stage: Stage
let facilitator: FacilitatorProcess
let platform: PlatformProcess
let agent: LocalAgentProcess
let folder: string
let receiver: Server
const notices: { readonly body: string; readonly signature: string }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-owners-'))
  stage = await setStage()
  facilitator = await stage.facilitator()
  platform = await stage.platform({ facilitator, environment: { PLATFORM_CHECK_SECONDS: '1' } })
  agent = await startAgent('owned', 0)
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const signature = String(request.headers['farebox-signature'])
      notices.push({ body: Buffer.concat(chunks).toString(), signature })
      response.writeHead(request.url === '/hook' ? 204 : 500).end()
    })
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await stage.strike()
  await rm(folder, { recursive: true, force: true })
})

async function startAgent(name: string, port: number): Promise<LocalAgentProcess> {
  const secret = await stage.secret(facilitator, [OWNER.address])
  const config = 'examples/text-statistics/agent.json'
  return await stage.agent({
    config,
    facilitator,
    secret,
    name,
    store: 'memory:',
    port,
    wallet: OWNER.address,
  })
}

/** `farebox …`, as the owner of the agent types it. */
async function farebox(...words: readonly string[]): Promise<CliRun> {
  const environment = {
    FAREBOX_HOME: join(folder, 'home'),
    FAREBOX_PLATFORM: platform.url,
    FAREBOX_PRIVATE_KEY: OWNER.privateKey,
    FAREBOX_RPC_URL: stage.chain.rpcUrl,
  }
  const ran = await startCli(words, { folder, environment }).ended
  expect(ran.out + ran.err).not.toContain(OWNER.privateKey.slice(2))
  return ran
}

interface Document {
  readonly [name: string]: unknown
}

async function fareboxJson(...words: readonly string[]): Promise<Document> {
  const ran = await farebox(...words, '--json')
  expect(ran, ran.err).toMatchObject({ code: 0 })
  return JSON.parse(ran.out) as Document
}

test('before login no account is signed in: exit 1, with the next step', async () => {
  for (const words of [['whoami'], ['dashboard'], ['secret', 'list'], ['webhook', 'show', '1']]) {
    const { code, err } = await farebox(...words)
    expect({ words, code }).toEqual({ words, code: 1 })
    expect(err).toContain(`✗ not signed in at ${platform.url}\n  npx farebox login\n`)
  }
})

test('login signs in by key and stores the session in a file that only its owner can read', async () => {
  const { code, out, err } = await farebox('login')
  expect({ code, out }).toEqual({ code: 0, out: '' })
  expect(err).toContain(`✓ signed in at ${platform.url}`)
  const sessions = join(folder, 'home', 'sessions')
  const [file = ''] = await readdir(sessions)
  expect((await stat(join(sessions, file))).mode & 0o777).toBe(0o600)
  const { token } = JSON.parse(await readFile(join(sessions, file), 'utf8')) as { readonly token: string }
  expect(token.length).toBeGreaterThan(20)
  expect(out + err).not.toContain(token)
  expect(await fareboxJson('whoami')).toMatchObject({ address: OWNER.address, agents: 0 })
})

test('a second login ends the previous session', async () => {
  const sessions = join(folder, 'home', 'sessions')
  const [file = ''] = await readdir(sessions)
  const { token } = JSON.parse(await readFile(join(sessions, file), 'utf8')) as { readonly token: string }
  await fareboxJson('login')
  const asked = await fetch(`${platform.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  expect(asked.status).toBe(401)
})

test('a secret is shown once, listed without its value, replaced and revoked', async () => {
  const made = await farebox('secret', 'create', '--env')
  expect(made, made.err).toMatchObject({ code: 0 })
  expect(made.out).toMatch(/^FACILITATOR_SECRET=[\x21-\x7e]+\n$/)
  const secret = made.out.trim().slice('FACILITATOR_SECRET='.length)
  expect(made.err).not.toContain(secret)
  const listed = await farebox('secret', 'list')
  expect(listed.out).toMatch(/live/)
  expect(listed.out).not.toContain(secret)
  const { secrets } = await fareboxJson('secret', 'list')
  const [{ secret_id: id }] = secrets as [{ readonly secret_id: string }]
  const rotated = await fareboxJson('secret', 'rotate', id)
  expect(rotated).toMatchObject({ replaces: id })
  expect(rotated['secret']).not.toBe(secret)
  expect(await farebox('secret', 'revoke', id)).toMatchObject({ code: 2 })
  expect(await farebox('secret', 'revoke', id, '--yes')).toMatchObject({ code: 0 })
  expect((await farebox('secret', 'list')).out).toMatch(new RegExp(`${id} +revoked`))
  // A value that looks like the secret itself is not repeated.
  const mistaken = await farebox('secret', 'revoke', `${secret}.`, '--yes')
  expect(mistaken.code).toBe(2)
  expect(mistaken.err).not.toContain(secret)
})

test('the dashboard shows an agent with listing, availability, badge, jobs and earnings', async () => {
  const registered = await farebox('register', '--endpoint', agent.url, '--wallet', '--json')
  expect(registered, registered.err).toMatchObject({ code: 0 })
  await expect
    .poll(async () => JSON.stringify(await fareboxJson('dashboard')))
    .toContain('"availability":"online"')
  expect(await fareboxJson('dashboard', '1', '--days', '3')).toMatchObject({
    ok: true,
    address: OWNER.address,
    agents: [{ agent_id: 1, standing: 'listed', wallet_proven: true, jobs: { sent: 0 }, earned: '0' }],
  })
  const { code, out } = await farebox('dashboard')
  expect(code).toBe(0)
  expect(out).toMatch(/^ {2}1 {2}Text statistics {3}http:/m)
  expect(out).toMatch(/^ {5}listing {7}listed$/m)
  expect(out).toMatch(/^ {5}availability {2}online/m)
  expect(out).toMatch(/^ {5}badge {9}\w+; (?:bronze|verified) takes /m)
  expect(out).toMatch(/^ {5}earned here {3}0 USDC \(jobs of this platform\)$/m)
  expect(await farebox('dashboard', '2')).toMatchObject({ code: 1 })
  expect(await farebox('dashboard', '--days', '31')).toMatchObject({ code: 2 })
})

test('a webhook is set, tested with a signed notice, and notified when the agent is offline and back', async () => {
  const { port } = receiver.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/hook`
  const { secret } = await fareboxJson('webhook', 'set', '1', url)
  expect(await fareboxJson('webhook', 'test', '1')).toMatchObject({ delivered: true, url })
  const [tried] = notices
  expect(JSON.parse(tried?.body ?? '')).toMatchObject({ event: 'agent.test', agent_id: 1 })
  const [, at = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(tried?.signature ?? '') ?? []
  const wanted = createHmac('sha256', String(secret)).update(`${at}.${tried?.body}`).digest('hex')
  expect(signature).toBe(wanted)

  const agentPort = Number(new URL(agent.url).port)
  await agent.stop()
  const events = (): readonly string[] =>
    notices.map(({ body }) => (JSON.parse(body) as { readonly event: string }).event)
  await expect.poll(events).toContain('agent.offline')
  expect((await farebox('dashboard')).out).toMatch(
    /availability {2}offline, \d+ failed in a row \(unreachable\)/,
  )
  agent = await startAgent('owned-again', agentPort)
  await expect.poll(events).toContain('agent.back')
  expect(events()).toEqual(['agent.test', 'agent.warned', 'agent.offline', 'agent.back'])

  await fareboxJson('webhook', 'set', '1', `http://127.0.0.1:${port}/broken`)
  const refused = await farebox('webhook', 'test', '1')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('did not take the notice: answered 500')
  expect((await farebox('webhook', 'show', '1')).out).toContain('/broken\n  no notice so far')
  expect(await farebox('webhook', 'remove', '1')).toMatchObject({ code: 0 })
  const gone = await farebox('webhook', 'show', '1')
  expect(gone.code).toBe(1)
  expect(gone.err).toContain('farebox webhook set 1')
})

test('logout ends the session on the platform and on this machine; a second logout has nothing to end', async () => {
  expect(await fareboxJson('logout')).toMatchObject({ was_signed_in: true, ended: true })
  expect(await readdir(join(folder, 'home', 'sessions'))).toEqual([])
  expect(await farebox('whoami')).toMatchObject({ code: 1 })
  expect(await fareboxJson('logout')).toMatchObject({ was_signed_in: false })
})
