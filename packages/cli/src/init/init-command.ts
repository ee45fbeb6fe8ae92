import { type CommandMaker, JSON_OPTION } from '../command-maker.ts'
import type { RawInitOptions } from './run-init.ts'

/** `farebox init [folder]`: creates a working project with tests, types and deployment files. */
export const initCommand: CommandMaker = (command, world, end) =>
  command
    .summary('a new agent: typed, tested, ready to be deployed')
    .description('Make a new agent: a project that runs, is typed, tested and ready to be deployed.')
    .argument('[folder]', 'the folder; created if it is missing (default: this folder)')
    .option('--name <name>', 'what the agent is called (default: as the folder)')
    .option('--description <text>', 'what it is for')
    .option('--capability <name>', 'the first thing it does, as callers name it')
    .option('--does <text>', 'what that does')
    .option('--price <usdc>', 'what a job costs, like 0.002')
    .option('--yes', 'ask nothing: use sensible defaults for what is not given')
    .option('--overwrite', 'replace the files that are in the way; package.json never')
    .option(...JSON_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(async (folder: string | undefined, options: RawInitOptions) =>
      end(await (await import('./run-init.ts')).runInit(world, folder ?? '.', options)),
    )

const EXAMPLES = `
Nothing that is there is replaced unless you say --overwrite: a package.json and a README stay, a .gitignore gets the
lines it lacks. Either all files are written or none.

Examples
  farebox init my-agent
  farebox init my-agent --yes
  farebox init --name "Word counter" --description "Counts words." --capability count --price 0.002
`
