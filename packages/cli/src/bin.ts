import { runCli } from './run-cli.ts'

const code = await runCli(process.argv.slice(2))
// `start` runs handlers here, and what they leave behind must not keep a command that is done.
process.stdout.write('', () => process.exit(code))
