import { runCommand } from './command/run-command.ts'

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
// A reader that closes the pipe early is not a failure.
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
// A socket that an agent keeps open must not keep the finished command running.
stdout.write('', () => process.exit(code))
