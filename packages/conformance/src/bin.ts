import { runCommand } from './command/run-command.ts'

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
// A reader that has seen enough and went is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const { stdout, stderr, env } = process
const code = await runCommand(process.argv.slice(2), {
  variables: env,
  folder: process.cwd(),
  out: text => void stdout.write(text),
  err: text => void stderr.write(text),
  columns: stdout.columns ?? 100,
  hasColours: stdout.isTTY && env['TERM'] !== 'dumb' && (env['NO_COLOR'] ?? '') === '',
  signal: stopping.signal,
})
// A socket that an agent holds open must not keep a command that is done.
stdout.write('', () => process.exit(code))
