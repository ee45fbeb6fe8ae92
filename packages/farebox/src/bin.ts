// The program `farebox`. What a command does not need is not loaded: an agent should be there at once.
const [command = '', ...words] = process.argv.slice(2)
const code = await run()
// Handlers leave pools and timers behind, and a command that is done must not wait for them (D32).
process.stdout.write('', () => process.exit(code))

async function run(): Promise<number> {
  if (!words.includes('--help') && !words.includes('-h')) {
    if (command === 'start') return await (await import('./commands/start.ts')).startCommand(words)
    if (command === 'validate') return await (await import('./commands/validate.ts')).validateCommand(words)
  }
  const { runOther } = await import('./commands/run-other.ts')
  return await runOther(command, words)
}
