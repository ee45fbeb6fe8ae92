import { RUNTIME_COMMANDS } from 'farebox/internal/commands/runtime-commands'
import type { CommandMaker } from '../command-maker.ts'

/** `farebox start` and `validate`: passes the arguments unchanged to the runtime, which also provides the help. */
export const passToRuntime: CommandMaker = (command, world, end) => {
  const own = RUNTIME_COMMANDS.find(({ name }) => name === command.name())
  if (own === undefined) throw new Error(`this runtime has no farebox ${command.name()}`)
  return command
    .summary(own.description.charAt(0).toLowerCase() + own.description.slice(1).replace(/\.$/, ''))
    .allowUnknownOption()
    .allowExcessArguments()
    .configureHelp({ formatHelp: () => own.help })
    .action(async () => end(await own.run(command.args, world)))
}
