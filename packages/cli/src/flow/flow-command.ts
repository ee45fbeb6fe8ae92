import { Command } from 'commander'
import type { CommandMaker } from '../command-maker.ts'
import { withPlatformOptions } from '../register/register-command.ts'
import type { RawFlowCheckOptions } from './check-flow-file.ts'

const EXAMPLES = `
Examples
  farebox flow check summarise-and-qr.json
  farebox flow check summarise-and-qr.json --offline --json`

/** `farebox flow check`. */
export const flowCommand: CommandMaker = (world, end) => {
  const flow = new Command('flow')
    .summary('flows of paid jobs: what one costs, and what is wrong with it')
    .description('Work with flows: steps of paid jobs, joined by wires, in one JSON file.')
    .addHelpText('after', EXAMPLES)
  const check = flow
    .command('check')
    .description(
      'check a flow before anything is paid: wires, inputs, price, time, and its agents as they are now',
    )
    .argument('<file>', 'the flow, as JSON; - for the standard input')
    .option('--offline', 'hold it against what is pinned in it, and ask no platform')
    .option('--payer <address>', 'whose balance is held against the price')
  withPlatformOptions(check)
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: RawFlowCheckOptions) => {
      const { checkFlowFile } = await import('./check-flow-file.ts')
      end(await checkFlowFile(world, file, options))
    })
  return flow
}
