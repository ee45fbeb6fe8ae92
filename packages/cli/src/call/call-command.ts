import {
  collect,
  type CommandMaker,
  JSON_OPTION,
  PASSWORD_OPTION,
  PAYING_WALLET_OPTION,
} from '../command-maker.ts'
import type { RawCallOptions } from './call-options.ts'

/** `farebox call <url> [capability]`: pays for one job and runs it. */
export const callCommand: CommandMaker = (command, world, end) => {
  command
    .summary('run one job of an agent, paid once')
    .description('Run one job of an agent, and pay for it.')
    .usage('<url> [capability] [--<field> <value> …] [options]')
    .argument('[url]', "the agent's address")
    .argument('[capability]', 'the capability to run; optional where there is only one')
    // An agent's fields are unknown until it is asked.
    .allowUnknownOption()
    .allowExcessArguments()
    .option('--input <json>', 'the whole input: JSON, @file.json, or - for standard input')
    .option('--field <name=value>', 'a field whose name is one of these options', collect)
    .option('--max-price <usdc>', 'pay up to this many USDC without asking')
    .option('--network <id>', 'pay on this chain alone, like eip155:8453')
    .option(...PAYING_WALLET_OPTION)
    .option(...PASSWORD_OPTION)
    .option('--rpc-url <url>', 'a node of the chain, to see balance and block; or FAREBOX_RPC_URL')
    .option('--deadline <seconds>', 'how long the agent may work (default: as long as it asks for)')
    .option('--allow-http', 'call http URLs of other machines too')
    .option('--dry-run', 'show the price and a valid input; sign nothing')
    .option('--resume [job_id]', 'ask again for a job whose answer was lost, without paying again')
    .option('--list', 'list the calls recorded here')
    .option(...JSON_OPTION)
    .option('--help', 'this help; with a URL, what the agent takes')
    // Next to our own --help, the built-in -h would be listed as a second option.
    .configureHelp({ visibleOptions: ({ options }) => [...options] })
    .addHelpText('after', EXAMPLES)
  return command.action(async (_url: unknown, _capability: unknown, options: RawCallOptions) => {
    if (options.help === true && command.args.length === 0) return command.outputHelp()
    const { runCall } = await import('./run-call.ts')
    end(await runCall(world, command.args, options))
  })
}

const EXAMPLES = `
The key that pays is, in this order: --wallet, the variable FAREBOX_PRIVATE_KEY, beside a local economy
its test wallet, the wallet called default. Never an argument.

Examples
  farebox call http://localhost:3001 count --help
  farebox call http://localhost:3001 count --text "hello world"
  farebox call http://localhost:3001 count --input @job.json --max-price 0.05 --json
  farebox call --resume
`
