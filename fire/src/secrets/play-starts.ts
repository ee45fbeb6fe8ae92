import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { facilitatorProgram, fareboxProgram } from '@farebox/local/src/programs'
import { runCommand, type ScannedCommand } from './run-command.ts'
import { OTHER_SCHEMA, type SecretStage } from './secret-stage.ts'

/** An agent's variables that hold a secret, put where they do not belong. */
const AGENT_VARIABLES = [
  'AGENT_WALLET_ADDRESS',
  'SERVICE_DEV_MODE',
  'FACILITATOR_URL',
  'SERVICE_NETWORK',
  'SERVICE_STORE',
  'SERVICE_RPC_URL',
  'SERVICE_PUBLIC_URL',
  'SERVICE_LOG',
  'SERVICE_METRICS_PORT',
  'SERVICE_METRICS_HOST',
  'PORT',
] as const

const FACILITATOR_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_SCHEMA',
  'EVM_RPC_URL',
  'FACILITATOR_NETWORK',
  'FACILITATOR_PORT',
  'METRICS_PORT',
  'FACILITATOR_HOST',
  'FACILITATOR_MIN_AMOUNT',
  'FACILITATOR_DAILY_SETTLEMENTS',
  'RELAYER_PRIVATE_KEY',
  'RELAYER_PRIVATE_KEY_FILE',
] as const

/** Starts programs that must refuse, with secrets in the wrong place and in what cannot be reached. How many. */
export async function playStarts(set: SecretStage, signal: AbortSignal): Promise<number> {
  const starts = [...agentStarts(set), ...(await brokenAgents(set)), ...facilitatorStarts(set)]
  // Two at a time: each is a process of its own.
  const queue = [...starts]
  const run = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift())
      await runCommand(set.scan, next)
  }
  await Promise.all([run(), run()])
  return starts.length - queue.length
}

function agentStarts({ planted, folder, redis, node }: SecretStage): readonly ScannedCommand[] {
  const good = {
    AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e1',
    SERVICE_DEV_MODE: 'false',
    FACILITATOR_SECRET: planted.wrongSecret,
    FACILITATOR_URL: `http://agent:${planted.facilitatorPassword}@127.0.0.1:9`,
    SERVICE_RPC_URL: node.url,
    SERVICE_STORE: 'memory:',
    PORT: '0',
  }
  const start = (name: string, environment: { readonly [name: string]: string }): ScannedCommand => ({
    name: `farebox start, ${name}`,
    args: [fareboxProgram(), 'start', '--config', join(folder, 'agent', 'agent.json'), '--host', '127.0.0.1'],
    folder,
    environment: { ...good, ...environment },
    timeoutMs: 6_000,
  })
  const password = encodeURIComponent(planted.redisPassword)
  return [
    ...AGENT_VARIABLES.flatMap(name =>
      [planted.wrongSecret, planted.payerKey].map(secret => start(`a secret in ${name}`, { [name]: secret })),
    ),
    start('a secret with a space', { FACILITATOR_SECRET: `${planted.wrongSecret} ` }),
    start('a secret with a line break', { FACILITATOR_SECRET: `${planted.wrongSecret}\nx` }),
    start('another store', { SERVICE_STORE: `postgres://u:${password}@127.0.0.1/db` }),
    start('a store without a scheme', { SERVICE_STORE: planted.redisPassword }),
    start('a wrong password of Redis', { SERVICE_STORE: `redis://:${password}x@127.0.0.1:${redis.port}/0` }),
    start('a Redis that is not there', { SERVICE_STORE: `redis://u:${password}@127.0.0.1:9/0` }),
    start('a Redis that has no name', { SERVICE_STORE: `redis://u:${password}@no.such.host.invalid:6379/0` }),
    start('a Redis database that is none', { SERVICE_STORE: `redis://:${password}@127.0.0.1/${password}` }),
    start('a public URL with a user', { SERVICE_PUBLIC_URL: `https://u:${password}@agent.example` }),
    start('a secret with no facilitator there, as JSON', { SERVICE_LOG: 'json' }),
    { ...start('help', {}), args: [fareboxProgram(), 'start', '--help'] },
  ]
}

/** Handlers and files that say too much before anything is served, and a timer that does so later. */
async function brokenAgents({ planted, folder }: SecretStage): Promise<readonly ScannedCommand[]> {
  const said = 'process.env.FACILITATOR_SECRET'
  const cases = {
    'handlers that throw when they are loaded': `throw new Error('no: ' + ${said})`,
    'handlers that throw a string when they are loaded': `throw ${said}`,
    'handlers that reject when they are loaded': `await Promise.reject(Object.assign(new Error('no', { cause: ${said} }), { secret: ${said} }))`,
    'a timer that throws': `setTimeout(() => { throw Object.assign(new Error('late: ' + ${said}), { secret: ${said} }) }, 800)\nexport default () => ({})`,
    'a promise nobody waits for': `setTimeout(() => void Promise.reject(new Error('late: ' + ${said})), 800)\nexport default () => ({})`,
  }
  const commands: ScannedCommand[] = []
  for (const [name, handlers] of Object.entries(cases)) {
    const own = join(folder, name.replaceAll(' ', '-'))
    await mkdir(own, { recursive: true })
    await writeFile(join(own, 'agent.json'), DECLARATION)
    await writeFile(join(own, 'handlers.mjs'), handlers)
    for (const logFormat of ['text', 'json'])
      commands.push({
        name: `farebox start, ${name}, ${logFormat}`,
        args: [fareboxProgram(), 'start', '--port', '0', '--host', '127.0.0.1'],
        folder: own,
        environment: {
          AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e1',
          SERVICE_DEV_MODE: 'true',
          SERVICE_STORE: 'memory:',
          FACILITATOR_SECRET: planted.wrongSecret,
          SERVICE_LOG: logFormat,
        },
        timeoutMs: 6_000,
      })
  }
  const dotEnv = join(folder, 'dot-env')
  await mkdir(dotEnv, { recursive: true })
  await writeFile(join(dotEnv, 'agent.json'), DECLARATION)
  await writeFile(join(dotEnv, 'handlers.mjs'), 'export default () => ({})')
  await writeFile(
    join(dotEnv, '.env'),
    `FACILITATOR_SECRET=${planted.wrongSecret}\n${planted.redisPassword}\n`,
  )
  commands.push({ name: 'farebox start, a broken .env', args: [fareboxProgram(), 'start'], folder: dotEnv })
  return commands
}

const DECLARATION = JSON.stringify({
  service_version: '1.0',
  name: 'Broken',
  description: 'Does not start.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 20,
  capabilities: {
    work: {
      description: 'Works.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: {},
      output_schema: {},
    },
  },
})

function facilitatorStarts({ planted, folder, stage, node }: SecretStage): readonly ScannedCommand[] {
  const database = new URL(stage.databaseUrl)
  database.password = planted.databasePassword
  const good = {
    DATABASE_URL: database.href,
    DATABASE_SCHEMA: OTHER_SCHEMA,
    EVM_RPC_URL: node.url,
    RELAYER_PRIVATE_KEY: planted.relayerKey,
    FACILITATOR_ADMIN_TOKEN: planted.adminToken,
    FACILITATOR_NETWORK: 'eip155:84532',
    FACILITATOR_PORT: '0',
  }
  const start = (name: string, environment: { readonly [name: string]: string }): ScannedCommand => ({
    name: `farebox-facilitator, ${name}`,
    args: [facilitatorProgram()],
    folder,
    environment: { ...good, ...environment },
    timeoutMs: 8_000,
  })
  const { databasePassword, nodeKeyInPath, nodeKeyInQuery, relayerKey, adminToken } = planted
  const both = { RELAYER_PRIVATE_KEY: '', RELAYER_PRIVATE_KEY_FILE: relayerKey }
  const nobody = `postgres://root:${databasePassword}@127.0.0.1:9/test`
  return [
    ...FACILITATOR_VARIABLES.map(name => start(`a token in ${name}`, { [name]: adminToken })),
    start('a key in place of its file', both),
    start('a key that is too long', { RELAYER_PRIVATE_KEY: `${relayerKey}00` }),
    start('a key above the curve', { RELAYER_PRIVATE_KEY: `0x${'f'.repeat(64)}` }),
    start('a token that is too short', { FACILITATOR_ADMIN_TOKEN: adminToken.slice(0, 15) }),
    start('a token with a space', { FACILITATOR_ADMIN_TOKEN: `${adminToken} ` }),
    start('a database that is not there', { DATABASE_URL: nobody }),
    start('a database that does not exist', {
      DATABASE_URL: database.href.replace(/\/\w+$/, `/${databasePassword}`),
    }),
    start('a user that does not exist', { DATABASE_URL: database.href.replace('root', 'no_such_user') }),
    start('a node that is not there', {
      EVM_RPC_URL: `http://127.0.0.1:9/v3/${nodeKeyInPath}?token=${nodeKeyInQuery}`,
    }),
    start('a node that refuses', { EVM_RPC_URL: node.url.replace('token=', 'token=x') }),
    start('another chain', { FACILITATOR_NETWORK: 'eip155:8453' }),
  ]
}
