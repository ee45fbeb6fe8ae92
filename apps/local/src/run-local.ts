import { join } from 'node:path'
import { startEconomy, type Economy, type EconomyStep } from '@farebox/local/economy'
import type { EconomyAgent } from '@farebox/local/internal/start-agent-process'
import { TEST_KEYS, type TestKey } from '@farebox/local/chain/test-keys'
import type { AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import { isServiceError } from '@farebox/protocol/errors/service-errors'
import { launcherGone } from 'farebox/internal/command-line'
import { explainStart } from './explain-start.ts'
import { folderOf, type Flags } from '../../../scripts/start-flags.mjs'
import { createJobLog, type JobLog } from './job-log.ts'
import { payOneJob } from './pay-one-job.ts'
import { nextSteps } from './next-steps.ts'
import { spendingCapability } from './permit-steps.ts'
import { describeRegistered, registerAgents } from './register-agents.ts'

/** The printer of `npm start`, which has already printed the install and build steps. */
export interface Steps {
  step: EconomyStep
  line(text?: string): void
  bold(text: string): string
  dim(text: string): string
  green(text: string): string
}

/** The example agents with their wallets. */
const EXAMPLES: readonly {
  readonly folder: string
  readonly key: TestKey
  readonly category: AgentCategory
  /** The key that moves the tokens payers have permitted. */
  readonly spender?: TestKey
  /** The key that pays the agents this agent hires. */
  readonly hirer?: TestKey
}[] = [
  { folder: 'text-statistics', key: TEST_KEYS.agent, category: 'data' },
  { folder: 'qr-code', key: TEST_KEYS.secondAgent, category: 'media' },
  { folder: 'summary', key: TEST_KEYS.thirdAgent, category: 'writing' },
  { folder: 'pay-invoices', key: TEST_KEYS.fourthAgent, category: 'finance', spender: TEST_KEYS.spender },
  { folder: 'researcher', key: TEST_KEYS.fifthAgent, category: 'research', hirer: TEST_KEYS.hirer },
]

/**
 * `npm start`: starts the whole economy, pays one job through the real path to each example agent that needs no
 * permission, prints the next steps, and runs until it is asked to stop. Resolves to the exit code.
 */
export async function runLocal(options: {
  readonly flags: Flags
  /** Root folder of the repository. */
  readonly root: string
  readonly steps: Steps
}): Promise<number> {
  const { root, steps, flags } = options
  const folder = folderOf(root, flags.folder)
  const stopping = stopRequested()
  const jobLog = createJobLog()
  const economy = await startEconomy({
    folder,
    agents: EXAMPLES.map(({ folder: example, key, spender, hirer }, index): EconomyAgent => ({
      config: join(root, 'examples', example, 'agent.json'),
      wallet: key.address,
      port: flags.ports.agents + index,
      ...(spender !== undefined && { spenderPrivateKey: spender.privateKey }),
      ...(hirer !== undefined && { hiringWallet: hirer, environment: hiredUrls(flags.ports.agents) }),
    })),
    chainId: flags.chainId,
    chainPort: flags.ports.chain,
    facilitatorPort: flags.ports.facilitator,
    platformPort: flags.ports.platform,
    ...(flags.checkSeconds !== undefined && {
      platformEnvironment: { PLATFORM_CHECK_SECONDS: String(flags.checkSeconds) },
    }),
    databaseUrl: process.env['DATABASE_URL'],
    step: steps.step,
    onLine: jobLog.read,
    signal: stopping.signal,
  }).catch(async (error: unknown) => {
    throw await explainStart(error, { flags, root, agentCount: EXAMPLES.length })
  })
  try {
    await steps.step(
      'registered',
      () => registerAgents(economy, EXAMPLES, stopping.signal),
      describeRegistered,
    )
    const failed = await showJobs(economy, steps, { jobLog, folder: flags.folder })
    if (flags.once) return failed === 0 ? 0 : 1
    nextSteps(economy, flags.folder).forEach(line => steps.line(line))
    return await stayUp(economy, steps, stopping.signal)
  } finally {
    await stopAll(economy, steps)
  }
}

/** The URLs at which the researcher finds the agents that it hires. */
function hiredUrls(firstPort: number): { readonly [name: string]: string } {
  const urlOf = (folder: string): string =>
    `http://localhost:${firstPort + EXAMPLES.findIndex(example => example.folder === folder)}`
  return { SUMMARY_AGENT_URL: urlOf('summary'), STATISTICS_AGENT_URL: urlOf('text-statistics') }
}

/**
 * Pays and prints the first jobs. A job that an agent fails does not abort the start: an expected refusal, such as
 * hiring on a used-up budget, says nothing about the other agents.
 *
 * @returns how many jobs were not delivered
 */
async function showJobs(
  economy: Economy,
  steps: Steps,
  { jobLog, folder }: { readonly jobLog: JobLog; readonly folder: string },
): Promise<number> {
  let failed = 0
  for (const agent of economy.agents) {
    // The payer has to permit agents that move its tokens.
    if (spendingCapability(agent.declaration) !== undefined) continue
    steps.line()
    steps.line(`  Paying one job to ${steps.bold(`"${agent.declaration.name}"`)} …`)
    steps.line()
    try {
      for (const line of await payOneJob(economy, agent, jobLog)) steps.line(line)
    } catch (error) {
      if (!isServiceError(error)) throw error
      failed += 1
      steps.line(`  ✗ not delivered, and reported as not charged: ${error.message}`)
      steps.line(`    Why it failed is in its log, in ${folder}/logs`)
    }
  }
  return failed
}

async function stayUp(economy: Economy, steps: Steps, signal: AbortSignal): Promise<number> {
  const told = new Promise<undefined>(resolve => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined))
  })
  const broken = await Promise.race([economy.broken, told])
  if (broken === undefined) return 0
  steps.line()
  steps.line(`✗ ${broken}`)
  steps.line('  stopping everything else; the next npm start continues from here')
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

/** Aborts on the first Ctrl-C, SIGTERM or closed terminal; a second one ends the process immediately. */
function stopRequested(): { readonly signal: AbortSignal } {
  const aborter = new AbortController()
  const abort = (): void => aborter.abort(new Error('stopped while starting'))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      process.once(name, () => process.exit(1))
      abort()
    })
  }
  void launcherGone(process.env).then(abort)
  // The reader of the output is gone: the programs that were started are still stopped in order.
  process.stdout.on('error', abort)
  return aborter
}
