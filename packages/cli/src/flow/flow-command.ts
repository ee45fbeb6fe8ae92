import type { Command } from 'commander'
import {
  collect,
  type CommandMaker,
  type SetExitCode,
  PASSWORD_OPTION,
  PAYING_WALLET_OPTION,
  withPlatformOptions,
} from '../command-maker.ts'
import type { World } from '../world.ts'
import type { RawFlowCheckOptions } from './check/check-flow-file.ts'
import type { RawAnswerCommand } from './control-run.ts'
import type { RawFlowExportOptions } from './export/export-flow.ts'
import type { RawRunOptions } from './run/run-options.ts'
import type { RawRunCommand } from './show-run.ts'

/** `farebox flow`, with subcommands for flows and their runs. */
export const flowCommand: CommandMaker = (flow, world, end) => {
  flow
    .summary('flows of paid jobs: check one, run it, follow its runs')
    .description('Work with flows: steps of paid jobs, joined by wires, in one JSON file.')
    .addHelpText('after', EXAMPLES)
  addCheck(flow, world, end)
  addExport(flow, world, end)
  addRun(flow, world, end)
  addList(flow, world, end)
  addShow(flow, world, end)
  addResume(flow, world, end)
  addControls(flow, world, end)
  return flow
}

function addCheck(flow: Command, world: World, end: SetExitCode): void {
  const check = flow
    .command('check')
    .description(
      'check a flow before anything is paid: wires, inputs, price, time, and its agents as they are now',
    )
    .argument('<file>', FILE)
    .option('--offline', 'hold it against what is pinned in it, and ask no platform')
    .option('--payer <address>', 'whose balance is held against the price')
  withPlatformOptions(check)
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (file: string, options: RawFlowCheckOptions) =>
      end(await (await import('./check/check-flow-file.ts')).checkFlowFile(world, file, options)),
    )
}

function addExport(flow: Command, world: World, end: SetExitCode): void {
  const made = flow
    .command('export')
    .description('write a flow as an agent of your own: one price, its steps hired by ctx.hire')
    .argument('<file>', FILE)
    .requiredOption('--agent <folder>', 'where the project is written')
    .option('--price <usdc>', 'what a job costs (default: a quarter more than its steps)')
    .option('--offline', 'ask no platform where its agents are; say it in the environment')
  withPlatformOptions(made)
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(async (file: string, options: RawFlowExportOptions) =>
      end(await (await import('./export/export-flow.ts')).exportFlow(world, file, options)),
    )
}

function addRun(flow: Command, world: World, end: SetExitCode): void {
  const run = flow
    .command('run')
    .description('run a flow: sign a payment for each of its jobs, and follow it to its end')
    .argument('<file>', FILE)
    .option(
      '--input <name=value>',
      'an input of the flow, as often as there are; JSON for lists and objects',
      collect,
    )
    .option('--input-file <file>', 'all inputs, as a JSON object; - for the standard input')
    .option('--max-total <usdc>', 'sign for up to this many USDC in all without asking')
    .option('--sign <when>', 'upfront: all payments at the start; just-in-time: each when its step is ready')
  withPlatformOptions(withWallet(run))
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (file: string, options: RawRunOptions) =>
      end(await (await import('./run/run-flow-file.ts')).runFlowFile(world, file, options)),
    )
}

function addList(flow: Command, world: World, end: SetExitCode): void {
  withPlatformOptions(
    flow
      .command('list')
      .description(
        'list the runs that were started here, and after farebox login your saved flows and all your runs',
      ),
  )
    .addHelpText('after', '\nExample\n  farebox flow list')
    .action(async (options: RawRunCommand) =>
      end(await (await import('./list-flows.ts')).listFlows(world, options)),
    )
}

function addShow(flow: Command, world: World, end: SetExitCode): void {
  withPlatformOptions(
    flow
      .command('show')
      .description('show a run: its steps, what was paid, what it waits for, what it gave')
      .argument('[run]', RUN),
  )
    .addHelpText('after', '\nExamples\n  farebox flow show\n  farebox flow show 3f8a2c1e --json')
    .action(async (named: string | undefined, options: RawRunCommand) =>
      end(await (await import('./show-run.ts')).showRun(world, named, options)),
    )
}

function addResume(flow: Command, world: World, end: SetExitCode): void {
  const resume = flow
    .command('resume')
    .description('go on with a run where it was left: killed, paused, failed, waiting for a payment')
    .argument('[run]', RUN)
    .option('--max-total <usdc>', 'sign for up to this many USDC in all, what was signed before included')
    .option('--pay-again', 'pay once more for a step that was charged and gave nothing')
  withPlatformOptions(withWallet(resume))
    .addHelpText('after', RESUME_EXAMPLES)
    .action(async (named: string | undefined, options: RawRunOptions) => {
      const { resumeFlow: goOn } = await import('./resume-run.ts')
      end(await goOn(world, named, options))
    })
}

function addControls(flow: Command, world: World, end: SetExitCode): void {
  withPlatformOptions(
    flow
      .command('pause')
      .description('order nothing more for now; jobs that are under way go on')
      .argument('[run]', RUN),
  )
    .addHelpText('after', '\nExample\n  farebox flow pause 3f8a2c1e')
    .action(async (named: string | undefined, options: RawRunCommand) =>
      end(await (await import('./control-run.ts')).pauseFlow(world, named, options)),
    )
  withPlatformOptions(
    flow
      .command('cancel')
      .description('order nothing more, and delete unsent payments; jobs that are under way go on')
      .argument('<run>', 'its id, or the beginning of it'),
  )
    .addHelpText('after', '\nExample\n  farebox flow cancel 3f8a2c1e')
    .action(async (named: string, options: RawRunCommand) =>
      end(await (await import('./control-run.ts')).cancel(world, named, options)),
    )
  withPlatformOptions(
    flow
      .command('answer')
      .description('answer a step that asks a person')
      .argument('<run>', 'its id, or the beginning of it')
      .argument('<step>', 'the step that asks')
      .option('--approve', 'go on by “approved”')
      .option('--decline', 'go on by “declined”'),
  )
    .addHelpText('after', '\nExample\n  farebox flow answer 3f8a2c1e publish --approve')
    .action(async (named: string, step: string, options: RawAnswerCommand) =>
      end(await (await import('./control-run.ts')).answer(world, named, step, options)),
    )
}

function withWallet(command: Command): Command {
  return command.option(...PAYING_WALLET_OPTION).option(...PASSWORD_OPTION)
}

const FILE = 'the flow, as JSON; - for the standard input'
const RUN = 'its id, or the beginning of it; without one the newest that has not ended'

const EXAMPLES = `
Examples
  farebox flow check summarise-and-qr.json
  farebox flow run summarise-and-qr.json --input article="A long text."
  farebox flow resume
`

const CHECK_EXAMPLES = `
Examples
  farebox flow check summarise-and-qr.json
  farebox flow check summarise-and-qr.json --offline --json
`

const EXPORT_EXAMPLES = `
The code is yours from then on. The agent pays its steps from a wallet of its own, HIRING_PRIVATE_KEY; what it has paid
is lost where its job fails afterwards.

Examples
  farebox flow export summarise-and-qr.json --agent summarise-and-qr
  farebox flow export summarise-and-qr.json --agent summarise-and-qr --price 0.05 --offline
`

const RUN_EXAMPLES = `
A run is written down before anything of it is sent, and the platform goes on with it whatever becomes of this
command: farebox flow resume takes it up, and pays nothing twice. The key that pays is found as by farebox call.

Exit codes
  0  completed                  3  it waits: for a person, a payment, or a failed step that may still be charged
  1  no: refused, or a failure  130  Ctrl-C: the run goes on

Examples
  farebox flow run summarise-and-qr.json --input article="A long text."
  farebox flow run summarise-and-qr.json --input-file input.json --max-total 0.05 --json
  farebox flow run summarise-and-qr.json --input-file - --sign just-in-time
`

const RESUME_EXAMPLES = `
A failed step is asked for again: with the same payment while that is good, else with a new one once the old one can
never be charged.

Examples
  farebox flow resume
  farebox flow resume 3f8a2c1e --max-total 0.08
`
