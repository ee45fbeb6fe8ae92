import { type CommandMaker, JSON_OPTION } from '../command-maker.ts'
import type { RawTypesOptions } from './run-types.ts'

/** `farebox types`: writes `agent.d.ts` from `agent.json`; with `--check`, reports whether it is up to date. */
export const typesCommand: CommandMaker = (command, world, end) =>
  command
    .summary('types for the handlers, from agent.json')
    .description('Write agent.d.ts from agent.json, so that handlers.ts is typed.')
    .option('--config <file>', 'the declaration', './agent.json')
    .option('--out <file>', 'where to write (default: beside the declaration)')
    .option('--check', 'write nothing; exit code 1 where the file is not up to date')
    .option(...JSON_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(async (options: RawTypesOptions) =>
      end(await (await import('./run-types.ts')).runTypes(world, options)),
    )

const EXAMPLES = `
Examples
  farebox types                  writes agent.d.ts; farebox dev does so by itself
  farebox types --check          in CI: is it what agent.json says?

In handlers.ts
  import type { Handlers } from './agent.d.ts'

  export default {
    count: ({ text }) => ({ words: text.split(' ').length }),
  } satisfies Handlers
`
