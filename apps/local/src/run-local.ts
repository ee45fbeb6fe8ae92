import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FolderInUseError } from '@farebox/local/claim-folder'
import { LOCAL_CHAIN_IDS, startEconomy, type Economy } from '@farebox/local/economy'
import type { EconomyStep } from '@farebox/local/economy-options'
import { PortTakenError } from '@farebox/local/port-taken-error'
import type { EconomyAgent } from '@farebox/local/start-agent-process'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createJobLog, type JobLog } from './job-log.ts'
import { payOneJob } from './pay-one-job.ts'
import { nextSteps } from './next-steps.ts'
import { describeRegistered, registerAgents } from './register-agents.ts'

/** The printer of `npm start`, which has shown the install and the build already. */
export interface Steps {
  step: EconomyStep
  line(text?: string): void
  bold(text: string): string
  dim(text: string): string
  green(text: string): string
}

const HELP = `npm start -- [options]

  --chain-id <id>             ${LOCAL_CHAIN_IDS.join(' or ')}; default ${LOCAL_CHAIN_IDS[0]}, which stock x402 clients know
  --chain-port <port>         default 8545
  --facilitator-port <port>   default 4010
  --platform-port <port>      default 4000
  --agents-port <port>        of the first agent, the others follow; default 3001
  --folder <folder>           where everything is kept; default .farebox
  --once                      stop after the first jobs are paid
`

/** The example agents, each with a wallet and a sensible first job. */
const EXAMPLES = [
  { folder: 'text-statistics', key: TEST_KEYS.agent },
  { folder: 'qr-code', key: TEST_KEYS.secondAgent },
  { folder: 'summary', key: TEST_KEYS.thirdAgent },
] as const

/**
 * `npm start`: starts the whole economy, pays one job to each example agent through the real path, shows how, and
 * stays up until it is told to stop. Resolves to the exit code.
 */
export async function runLocal(options: {
  readonly words: readonly string[]
  /** The repository. */
  readonly root: string
  readonly steps: Steps
}): Promise<number> {
  const { root, steps } = options
  const flags = readFlagsOrExplain(options.words)
  if (flags.help) {
    steps.line(HELP)
    return 0
  }
  const stopping = stopRequested()
  const jobLog = createJobLog()
  const economy = await startEconomy({
    folder: join(root, flags.folder),
    agents: EXAMPLES.map(({ folder, key }, index): EconomyAgent => ({
      config: join(root, 'examples', folder, 'agent.json'),
      wallet: key.address,
      port: flags.agentsPort + index,
    })),
    chainId: flags.chainId,
    chainPort: flags.chainPort,
    facilitatorPort: flags.facilitatorPort,
    platformPort: flags.platformPort,
    databaseUrl: process.env['DATABASE_URL'],
    step: steps.step,
    onLine: jobLog.read,
    signal: stopping.signal,
  }).catch((error: unknown) => {
    throw withAdvice(error, flags.folder)
  })
  try {
    await steps.step('registered', () => registerAgents(economy), describeRegistered)
    await showJobs(economy, steps, jobLog)
    nextSteps(economy, flags.folder).forEach(line => steps.line(line))
    return flags.once ? 0 : await stayUp(economy, steps, stopping.signal)
  } finally {
    await stopAll(economy, steps)
  }
}

async function showJobs(economy: Economy, steps: Steps, jobLog: JobLog): Promise<void> {
  for (const agent of economy.agents) {
    steps.line()
    steps.line(`  Paying one job to ${steps.bold(`"${agent.declaration.name}"`)} …`)
    steps.line()
    for (const line of await payOneJob(economy, agent, jobLog)) steps.line(line)
  }
}

async function stayUp(economy: Economy, steps: Steps, signal: AbortSignal): Promise<number> {
  const told = new Promise<undefined>(resolve => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined))
  })
  const broken = await Promise.race([economy.broken, told])
  if (broken === undefined) return 0
  steps.line()
  steps.line(`✗ ${broken} ended by itself: everything else is stopped, npm start goes on where it was`)
  return 1
}

async function stopAll(economy: Economy, steps: Steps): Promise<void> {
  steps.line()
  await steps.step(
    'stopped',
    () => economy.stop(),
    () => ({ text: 'state is kept' }),
  )
}

/** Aborts at the first Ctrl-C, SIGTERM or closed terminal; a second one ends the process at once. */
function stopRequested(): { readonly signal: AbortSignal } {
  const aborter = new AbortController()
  const abort = (): void => aborter.abort(new Error('stopped while starting'))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      process.once(name, () => process.exit(1))
      abort()
    })
  }
  // Nobody reads any more: what was started is stopped in order all the same.
  process.stdout.on('error', abort)
  return aborter
}

interface Flags {
  readonly chainId: number
  readonly chainPort: number
  readonly facilitatorPort: number
  readonly platformPort: number
  readonly agentsPort: number
  readonly folder: string
  readonly once: boolean
  readonly help: boolean
}

/** What may be in the way of a start can be left alone: another folder, or other ports, will do. */
function withAdvice(error: unknown, folder: string): unknown {
  if (error instanceof PortTakenError) {
    const advice =
      'or choose others with --chain-port, --facilitator-port, --platform-port or --agents-port, after npm start --'
    return new Error(`${error.message}\n  ${advice}`, { cause: error })
  }
  if (error instanceof FolderInUseError) {
    const advice = [
      `an economy runs in ${folder}/ already, as process ${error.pid}`,
      `  its addresses are in ${folder}/local.json; Ctrl-C in its terminal ends it`,
      '  for a second one beside it:',
      '  npm start -- --folder .farebox-2 --chain-port 8546 --facilitator-port 4011 --platform-port 4001 --agents-port 3011',
    ]
    return new Error(advice.join('\n'), { cause: error })
  }
  return error
}

/** An unknown flag is a person's slip, not a mistake of ours: a sentence, without a stack. */
function readFlagsOrExplain(words: readonly string[]): Flags {
  try {
    return readFlags(words)
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`, { cause: error })
  }
}

function readFlags(words: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...words],
    options: {
      'chain-id': { type: 'string', default: String(LOCAL_CHAIN_IDS[0]) },
      'chain-port': { type: 'string', default: '8545' },
      'facilitator-port': { type: 'string', default: '4010' },
      'platform-port': { type: 'string', default: '4000' },
      'agents-port': { type: 'string', default: '3001' },
      folder: { type: 'string', default: '.farebox' },
      once: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    chainId: wholeNumber('--chain-id', values['chain-id']),
    chainPort: wholeNumber('--chain-port', values['chain-port']),
    facilitatorPort: wholeNumber('--facilitator-port', values['facilitator-port']),
    platformPort: wholeNumber('--platform-port', values['platform-port']),
    agentsPort: wholeNumber('--agents-port', values['agents-port']),
    folder: values.folder,
    once: values.once,
    help: values.help,
  }
}

function wholeNumber(flag: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new Error(`${flag} must be a whole number, got ${JSON.stringify(value)}`)
}
