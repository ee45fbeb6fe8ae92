import { validateCommand } from './commands/validate.ts'
import { startCommand } from './commands/start.ts'

const HELP = `farebox  declare an agent, serve it, be paid per job

  farebox start      serve agent.json with its handlers, as the environment says
  farebox validate   check agent.json and say what is wrong with it

  --config <file>    default ./agent.json
  --handlers <file>  default handlers.(ts|mts|js|mjs) beside the config, then in src/
  --port <port>      default $PORT, then 3000
  --host <address>   default all interfaces
`

const COMMANDS: { readonly [name: string]: (words: readonly string[]) => Promise<number> } = {
  start: startCommand,
  validate: validateCommand,
}

const [command = '', ...words] = process.argv.slice(2)
const run = Object.hasOwn(COMMANDS, command) && !words.includes('--help') ? COMMANDS[command] : undefined
if (run !== undefined) {
  const code = await run(words)
  // Handlers leave pools and timers behind, and a command that is done must not wait for them (D32).
  process.stdout.write('', () => process.exit(code))
} else if (['', 'help', '--help', '-h'].includes(command) || words.includes('--help')) {
  process.stdout.write(HELP)
} else {
  process.stderr.write(`✗ farebox ${command}: not a command\n  farebox --help lists those there are\n`)
  process.exitCode = 2
}
