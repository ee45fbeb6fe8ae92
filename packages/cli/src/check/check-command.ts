import type { ExitCode } from '../command-error.ts'
import { type CommandMaker, JSON_OPTION, PASSWORD_OPTION } from '../command-maker.ts'
import type { World } from '../world.ts'
import type { RawCheckOptions } from './check-options.ts'

/** The implementation of `farebox check --flows`, which concerns a platform and not a running agent. */
export type CheckFlows = (
  world: World,
  url: string | undefined,
  options: RawCheckOptions,
) => Promise<ExitCode>

/** `farebox check <url>`: checks the rules of the interface against any running agent. */
export const checkCommandWith =
  (checkFlows: CheckFlows): CommandMaker =>
  (command, world, end) =>
    command
      .summary('the rules put to a running agent, and how to fix what breaks')
      .description('Put every rule of the interface to a running agent, and say how to fix what breaks one.')
      .argument('[url]', "the agent's address")
      .option('--only <areas>', 'these areas or checks alone, separated by commas', collectWords)
      .option('--list', 'the areas and their checks, with their rules')
      .option('--paid', 'pay for a job too, where the agent is paid')
      .option('--max-price <usdc>', 'with --paid: the most that one job may cost')
      .option('--max-jobs <n>', 'with --paid: the most payments that are signed (default: 5)')
      .option('--network <id>', 'with --paid: pay on this chain alone, like eip155:8453')
      .option('--wallet <name>', 'with --paid: the wallet that pays, or a keystore file')
      .option(...PASSWORD_OPTION)
      .option('--timeout <seconds>', 'how long a check waits for answers, jobs aside (default: 15)')
      .option('--verbose', 'each check that passed, and all that failed alike')
      .option('--quiet', 'what failed, and the count')
      .option(
        '--flows',
        'instead: how many flows at a platform your agent.json would break, before you deploy it',
      )
      .option('--agent-id <n>', 'with --flows: the number of your agent; default: the one at the url')
      .option('--platform <url>', 'with --flows: the platform; or FAREBOX_PLATFORM')
      .option('--config <file>', 'with --flows: the declaration (default: agent.json)')
      .option(...JSON_OPTION)
      .addHelpText('after', EXAMPLES)
      .action(async (url: string | undefined, options: RawCheckOptions) => {
        if (options.flows === true) return end(await checkFlows(world, url, options))
        const { runCheck } = await import('./run-check.ts')
        end(await runCheck(world, url, options))
      })

function collectWords(words: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...words.split(',').map(word => word.trim())].filter(word => word !== '')
}

const EXAMPLES = `
Without --paid no payment is sent that could be good. An agent in dev mode is free: there jobs run, with
sample inputs.

Exit codes
  0  no check failed             2  the command was not understood
  1  one did, or none answered    130  Ctrl-C: the results so far are shown
With --flows 1 says that a flow would break.

Examples
  farebox check http://localhost:3000
  farebox check https://agent.example --only health,about,payment-required
  farebox check https://agent.example --paid --max-price 0.01 --json
  farebox check --flows --agent-id 7
`
