import type { CommandMaker } from '../command-maker.ts'
import { develop } from './develop.ts'
import { readSettings, type DevOptions } from './settings.ts'

/** `farebox dev`: serves the agent without payments, or with `--paid` on a local chain, and reloads it after each save. */
export const devCommand: CommandMaker = (command, world, end) =>
  command
    .summary('serve it while you write it; --paid with a local economy')
    .description('Serve the agent while you write it: every save is served at once, payments are off.')
    .option('--port <port>', 'the port it listens on; 0 takes any free one (default: $PORT, then 3000)')
    .option('--config <file>', 'the declaration', './agent.json')
    .option('--handlers <file>', 'default: handlers.(ts|mts|js|mjs) beside the declaration, then in src/')
    .option('--host <address>', 'who may reach it: 0.0.0.0 lets the network', '127.0.0.1')
    .option('--paid', 'with payments: a local chain, a facilitator and a funded wallet start beside it')
    .option('--page-port <port>', 'where its page is, on 127.0.0.1 (default: 5170, else any free one)')
    .option('--no-page', 'without the page that runs jobs in a browser')
    .addHelpText('after', EXAMPLE)
    .action(async (options: DevOptions) => {
      end(await develop(world, readSettings(world, options)))
    })

const EXAMPLE = `
A .env beside the declaration is loaded, never over the real environment. Without handlers it answers
with samples of the output schema.

Example
  farebox dev                     http://127.0.0.1:3000
  farebox dev --port 0 --paid     any free port, each job paid on a local chain
`
