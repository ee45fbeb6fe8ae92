import { Command } from 'commander'
import { RUNTIME_COMMANDS, type RuntimeCommand } from 'farebox/internal/commands/runtime-commands'
import type { CommandMaker } from '../command-maker.ts'

/** A command that the runtime does: its words are passed on as they are, its help is the runtime's own. */
function passToRuntime(name: RuntimeCommand['name']): CommandMaker {
  return (world, end) => {
    const own = RUNTIME_COMMANDS.find(one => one.name === name)
    if (own === undefined) throw new Error(`this runtime has no farebox ${name}`)
    return new Command(name)
      .summary(own.description.charAt(0).toLowerCase() + own.description.slice(1).replace(/\.$/, ''))
      .allowUnknownOption()
      .allowExcessArguments()
      .configureHelp({ formatHelp: () => own.help })
      .action(async (_, command: Command) => end(await own.run(command.args, world)))
  }
}

/** `farebox start`: the runtime's own command, as its own program does it. */
export const startCommand = passToRuntime('start')

/** `farebox validate`: the runtime's own command, as its own program does it. */
export const validateCommand = passToRuntime('validate')
