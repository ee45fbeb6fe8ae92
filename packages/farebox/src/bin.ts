// The program `farebox`. Modules that a command does not need are not loaded, so that an agent starts quickly.
const [command = '', ...words] = process.argv.slice(2)
const code = await run()
// The process exits explicitly: handlers may leave pools and timers open, and a finished command must not wait for them
// (D32).
process.stdout.write('', () => process.exit(code))

async function run(): Promise<number> {
  if (!words.includes('--help') && !words.includes('-h')) {
    if (command === 'start') return await (await import('./commands/start.ts')).startCommand(words)
    if (command === 'validate') return await (await import('./commands/validate.ts')).validateCommand(words)
  }
  const { runOther } = await import('./commands/run-other.ts')
  return await runOther(command, words)
}
