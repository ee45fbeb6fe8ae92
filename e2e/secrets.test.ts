import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { facilitatorProgram, fareboxProgram } from '@farebox/local/src/programs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { jobBody, signFor } from './stage/pay.ts'
import { CLI_PROGRAM } from './stage/run-cli.ts'
import { BETRAYALS, type NodeMood } from './stage/secrets/hostile-servers.ts'
import { setSecretStage, type SecretStage, type WatchedAgent } from './stage/secrets/secret-stage.ts'

// OPS-08: secrets are planted in every possible place; none may be in the programs' output or answers.

type Strings = { readonly [name: string]: string }

const JSON_BODY = { 'content-type': 'application/json' }
const ENDS_A_HANG = { timeout: 600_000 }

let set: SecretStage
beforeAll(async () => {
  set = await setSecretStage()
})
afterAll(() => set.stage.strike())
afterEach(() => expect(set.scan.leaks()).toEqual([]))

/** A payment whose signature the scan searches for. */
async function payFor(agent: WatchedAgent, jobId: string): Promise<string> {
  const header = await signFor(set.stage, {
    payTo: agent.wallet,
    price: '0.01',
    payerKey: set.planted.payerKey,
    boundTo: { endpoint: `${agent.url}/execute`, capability: 'work', jobId },
    validSeconds: 1_200,
  })
  set.scan.plant('signature of a payment', /"signature":"(0x[0-9a-f]+)"/.exec(atob(header))?.[1] ?? '')
  return header
}

/** Status, headers and body of an answer, or the error in place of it. */
async function ask(url: string, headers: Strings = {}, body?: string): Promise<string> {
  try {
    const answer = await fetch(url, body === undefined ? {} : { method: 'POST', headers, body })
    return `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}\n`
  } catch (error) {
    return `${String(error)}\n`
  }
}

/**
 * Sends both agents a job in each of these ways, concurrently. Resolves to the answers of the first agent, then the
 * second's.
 */
async function askForJobs(ways: readonly string[]): Promise<readonly string[]> {
  const jobs = set.agents.flatMap(agent => ways.map(how => ({ agent, how, jobId: randomUUID() })))
  return await Promise.all(
    jobs.map(async ({ agent, how, jobId }) => {
      const header = await payFor(agent, jobId)
      const body = jobBody(jobId, { how }, { deadlineSeconds: 600 })
      const answer = await ask(`${agent.url}/execute`, { ...JSON_BODY, 'payment-signature': header }, body)
      set.scan.read(`answer of the ${agent.name}`, answer)
      return answer
    }),
  )
}

test('OPS-08 handlers that put secrets into their errors, logs and answers', async () => {
  const thrown = ['message', 'string', 'properties', 'cause', 'encoded', 'nested', 'object']
  const ways = [...thrown.map(what => `throw ${what}`), 'answer badly', 'log', 'answer too much']
  const statuses = (await askForJobs(ways)).map(answer => Number(answer.slice(0, 3)))
  expect(statuses).toEqual([...Array<number>(8).fill(500), 200, 200, ...Array<number>(8).fill(500), 200, 200])
})

test.each(['/verify', '/settle', '/release'] as const)(
  'OPS-08 a facilitator that answers %s with its whole request, in every form',
  async path => {
    const [{ facilitator: believed }, { facilitator: doubted }] = set.agents
    // Only holds are released: those of the trusted facilitator.
    const hostile = path === '/release' ? [believed] : [believed, doubted]
    for (const facilitator of hostile) facilitator.repeat(path)
    const ways = Array<string>(BETRAYALS[path].length).fill(path === '/release' ? 'throw message' : 'answer')
    const asked = askForJobs(ways)
    let answers: readonly string[] | undefined
    void asked.then(all => (answers = all))
    const isThrough = (): boolean => hostile.every(one => one.answered[path] >= ways.length)
    await expect.poll(() => isThrough() || answers !== undefined, ENDS_A_HANG).toBe(true)
    // If a job was answered without this request to the facilitator, the reason is shown here.
    if (!isThrough()) expect(answers).toEqual('each asked the facilitator')
    // An unknown settlement is requested again, until the facilitator itself answers.
    for (const facilitator of hostile) facilitator.repeat(undefined)
    await asked
  },
)

/** Runs a program to its end, and reads all its output. Resolves to its exit code. */
async function run(name: string, words: readonly string[], environment: Strings): Promise<unknown> {
  const cwd = set.stage.folder
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, ...environment }
  const child = spawn(process.execPath, [...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => set.scan.read(name, text))
  return await new Promise((resolve, reject) => void child.once('error', reject).once('close', resolve))
}

const SAID = 'process.env.FACILITATOR_SECRET'
const WORK = 'export default { work: () => ({}) }'

test.each([
  ['an error', `throw new Error('no: ' + ${SAID})`],
  ['a string', `throw ${SAID}`],
  [
    'a rejection',
    `await Promise.reject(Object.assign(new Error('no', { cause: ${SAID} }), { secret: ${SAID} }))`,
  ],
  [
    'a timer',
    `setTimeout(() => { throw Object.assign(new Error(${SAID}), { secret: ${SAID} }) }, 100); ${WORK}`,
  ],
  ['a promise', `setTimeout(() => void Promise.reject(new Error(${SAID})), 100); ${WORK}`],
])('OPS-08 handlers that end the agent with a secret, by %s', async (name, source) => {
  const folder = join(set.stage.folder, name.replace(' ', '-'))
  const config = join(folder, 'agent.json')
  await mkdir(folder)
  await writeFile(config, await readFile(new URL('agents/betraying/agent.json', import.meta.url)))
  await writeFile(join(folder, 'handlers.mjs'), source)
  const words = [fareboxProgram(), 'start', '--config', config, '--host', '127.0.0.1', '--port', '0']
  for (const format of ['text', 'json']) {
    const code = await run(`${name}, ${format}`, words, {
      AGENT_WALLET_ADDRESS: `0x${'0'.repeat(40)}`,
      SERVICE_DEV_MODE: 'true',
      SERVICE_STORE: 'memory:',
      FACILITATOR_SECRET: set.planted.refusedSecret,
      SERVICE_LOG: format,
    })
    expect(code).toBe(1)
  }
})

test('OPS-08 a facilitator that cannot reach its database or its node', async () => {
  const { planted, node, stage } = set
  const good = { DATABASE_URL: stage.databaseUrl, EVM_RPC_URL: node.url }
  for (const wrong of [
    { DATABASE_URL: `postgres://root:${planted.databasePassword}@127.0.0.1:9/test` },
    { DATABASE_URL: stage.databaseUrl.replace(/\/\w+$/, `/${planted.databasePassword}`) },
    { EVM_RPC_URL: `http://127.0.0.1:9/v3/${planted.nodeKey}?token=${planted.nodeToken}` },
    { EVM_RPC_URL: node.url.replace('token=', 'token=x') },
    { FACILITATOR_NETWORK: 'eip155:8453' },
  ]) {
    const code = await run(`facilitator with another ${Object.keys(wrong)[0]}`, [facilitatorProgram()], {
      FACILITATOR_NETWORK: 'eip155:84532',
      FACILITATOR_PORT: '0',
      RELAYER_PRIVATE_KEY: planted.relayerKey,
      FACILITATOR_ADMIN_TOKEN: planted.adminToken,
      ...good,
      ...wrong,
    })
    expect(code).toBe(1)
  }
})

test('OPS-08 commands with keys and passwords, and the files that they write', async () => {
  const { planted, node, agents, stage } = set
  const home = join(stage.folder, 'home')
  const passwordFile = join(stage.folder, 'password')
  await writeFile(passwordFile, `${planted.walletPassword}\n`)
  const password = { FAREBOX_WALLET_PASSWORD: planted.walletPassword }
  const key = { FAREBOX_PRIVATE_KEY: planted.payerKey, FAREBOX_RPC_URL: node.url }
  const call = ['call', agents[0].url, 'work', '--how', 'answer', '--max-price', '1']
  const commands: readonly (readonly [words: readonly string[], environment: Strings, code?: number])[] = [
    [['wallet', 'new'], password, 0],
    [['wallet', 'new', planted.payerKey], password],
    [['wallet', 'balance'], { ...key, FAREBOX_RPC_URL: `${node.url}x` }],
    [call, key, 0],
    [['call', agents[1].url, 'work', '--how', 'throw message', '--max-price', '1'], key],
    [[...call, '--wallet', 'default', '--password-file', passwordFile], { FAREBOX_RPC_URL: node.url }],
    [[...call, '--wallet', 'default'], { FAREBOX_WALLET_PASSWORD: `${planted.walletPassword}x` }],
    [[...call, '--password-file', planted.walletPassword], {}],
    [[...call, '--wallet', planted.payerKey], {}],
    [call, { FAREBOX_PRIVATE_KEY: `${planted.payerKey}00` }],
    [['call', '--list'], key, 0],
  ]
  for (const [words, environment, code] of commands) {
    const ended = await run(words[0] ?? '', [CLI_PROGRAM, ...words], { FAREBOX_HOME: home, ...environment })
    if (code === 0) expect(ended).toBe(0)
    else expect(ended).not.toBe(0)
  }
  const kept = (await readdir(home, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  for (const { parentPath, name } of kept) {
    const text = await readFile(join(parentPath, name), 'utf8')
    // The journal stores signed payments on purpose: they are sent again after a lost answer.
    set.scan.read(name, text.replaceAll(/"(?:header|signature|payment|salt)":\s*"[^"]*"/g, ''))
  }
})

test.each<NodeMood>(['refuse', 'page', 'break off'])(
  'OPS-08 an outage of the node during jobs and administration requests: %s',
  async outage => {
    const { node, facilitatorUrl, planted, scan, agents } = set
    const read = async (...request: Parameters<typeof ask>): Promise<void> =>
      scan.read('answer', await ask(...request))
    node.behave(outage)
    const asked = askForJobs(['answer'])
    await expect.poll(() => ask(`${facilitatorUrl}/ready`), ENDS_A_HANG).toMatch(/^503/)
    for (const token of [planted.adminToken, planted.refusedSecret])
      for (const path of [`secrets?owner=none&token=${token}`, 'secrets', 'verify'])
        await read(`${facilitatorUrl}/${path}`, { authorization: `Bearer ${token}` }, `{"owner":"${token}"`)
    await read(`${facilitatorUrl}/ready`)
    for (const { url } of agents) await read(`${url}/health`)
    node.behave('pass')
    await asked
    await expect.poll(() => ask(`${facilitatorUrl}/ready`), ENDS_A_HANG).toMatch(/^200/)
  },
)

test('the scan has read all of these outputs', () => expect(set.scan.characters()).toBeGreaterThan(50_000))
